#!/bin/bash
# Part of Usher. SPDX-License-Identifier: Apache-2.0
#
# Tests the installed package under a real systemd: run as root on a throw-away system, by `make test-system`.
set -u
socket=/run/usher/usher.sock
failures=0
step() { printf '%s\n' "-- $*"; }
pass() { printf 'ok   %s\n' "$*"; }
fail() { printf 'FAIL %s\n' "$*"; failures=$((failures + 1)); }
check() { # check WHAT COMMAND...
    local what=$1
    shift
    if "$@" >/tmp/said 2>&1; then pass "$what"; else fail "$what: $(head -c 600 /tmp/said)"; fi
}
refuse() { local what=$1; shift; if "$@" >/tmp/said 2>&1; then fail "$what"; else pass "$what"; fi; }
has() { grep -q -- "$1" <<<"$2"; }
until_true() { for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done; return 1; }
ask() { printf '%s\n' "$@" | socat -t10 - UNIX-CONNECT:$socket; }
property() { systemctl show -P "$1" usherd.service; }
pid() { property MainPID; }

step "installed"
check "usherd runs without Swift" usherd --version
refuse "there is no Swift here" sh -c 'command -v swift || ls /usr/lib/swift'
check "the socket is enabled" systemctl is-enabled usherd.socket
check "the socket is there" systemctl is-active usherd.socket
check "its mode is for everyone" test "$(stat -c %a $socket)" = 666
check "the folder is the daemon's" test "$(stat -c %U /run/usher)" = usher
refuse "the service is not started before it is needed" systemctl is-active usherd.service
check "the configuration is well" usherd --check-config --config /etc/usher/usherd.conf

step "socket activation"
reply=$(ask 'user fetch')
[ -n "$reply" ] || sleep 1
reply=$(ask fetch)
check "the first client starts the service" systemctl is-active usherd.service
check "and gets the system's user" has '"name":"root"' "$reply"
check "it runs as its own user" test "$(ps -o user= -p "$(pid)")" = usher
check "the status tells of the socket" has "Serving .* on $socket" "$(property StatusText)"
check "peers are known by their uid" has '"role":"admin"' "$(ask hello)"
grep VmRSS "/proc/$(pid)/status"

step "roles"
reply=$(setpriv --reuid=65534 --clear-groups socat -t10 - UNIX-CONNECT:$socket <<<'{"jsonrpc":"2.0","id":1,"method":"engine.stop"}')
check "another uid may not stop it" has permission_denied "$reply"
reply=$(setpriv --reuid=65534 --clear-groups socat -t10 - UNIX-CONNECT:$socket <<<'user')
check "another uid has its own user" has '"user":65534' "$reply"
reply=$(setpriv --reuid=65534 --clear-groups socat -t10 - UNIX-CONNECT:$socket <<<'{"jsonrpc":"2.0","id":1,"method":"user.rename","params":{"user":0,"name":"x"}}')
check "another uid may not rename root" has permission_denied "$reply"

step "logs"
journal=$(journalctl -u usherd.service -o json --no-pager | grep 'serving on')
check "lines have their priority" has '"PRIORITY":"5"' "$journal"
check "and no mark of it in their text" has '"MESSAGE":"serving on' "$journal"

step "state"
ask fetch 'rename Ada Lovelace' >/dev/null
check "a rename is stored" has 'Ada Lovelace' "$(ask user)"
check "the state is the daemon's alone" test "$(stat -c '%a %U' /var/lib/usher)" = "700 usher"
check "the store too" test "$(stat -c %a /var/lib/usher/usher.db)" = 600

step "reload under 100 clients, then restart"
cat >/tmp/clients.py <<'PYTHON'
# A hundred subscribers: each counts what happens to its connection, and resumes after a restart with its cursor.
# Debian's minimal Python has no json: the few members that matter are found by their names.
import os, re, select, socket, sys

class Client:
    def __init__(self):
        self.cursor, self.names, self.recovered, self.ends = None, [], 0, 0
        self.open()

    def open(self):
        self.buffer = b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect("/run/usher/usher.sock")
        since = f',"since":"{self.cursor}"' if self.cursor else ""
        self.socket.sendall(('{"jsonrpc":"2.0","id":1,"method":"subscribe","params":'
                             '{"topic":"user","mode":"all"%s}}\n' % since).encode())

    def read(self):
        data = self.socket.recv(65536)
        if not data:
            self.ends += 1
            self.socket.close()
            return self.open()
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            self.take(line.decode())

    def take(self, line):
        if '"error":{' in line:
            sys.exit("refused: " + line)
        self.cursor = re.search('"cursor":"([^"]+)"', line).group(1)
        if '"method":"event"' in line:
            self.names += re.findall('"name":"([^"]*)"', line)
        elif '"recovered":true' in line:
            self.recovered += 1

clients = [Client() for _ in range(100)]
while not os.path.exists("/tmp/clients.stop"):
    byDescriptor = {client.socket.fileno(): client for client in clients}
    for descriptor in select.select(list(byDescriptor), [], [], 0.1)[0]:
        byDescriptor[descriptor].read()
    if all(client.cursor for client in clients):
        open("/tmp/clients.ready", "w").close()
print("ends", sorted({client.ends for client in clients}), "recovered", sorted({client.recovered for client in clients}),
      "names", sorted({tuple(client.names) for client in clients}))
PYTHON
run_clients() {
    rm -f /tmp/clients.{stop,ready,out}
    python3 /tmp/clients.py >/tmp/clients.out 2>&1 &
    until_true test -e /tmp/clients.ready
}
stop_clients() {
    sleep 1
    touch /tmp/clients.stop
    until_true test -s /tmp/clients.out
    cat /tmp/clients.out
}

run_clients
check "a hundred clients are served" has '"connected":10[0-9]' "$(ask stats)"
before=$(pid)
echo 'limit = subscriptions=3' >/etc/usher/conf.d/test.conf
check "reload succeeds" systemctl reload usherd.service
check "the new configuration holds" until_true sh -c "echo hello | socat -t10 - UNIX-CONNECT:$socket | grep -q '\"subscriptions\":3,'"
check "the process is the same" test "$(pid)" = "$before"
echo 'subscriptoins = 4' >/etc/usher/conf.d/test.conf
systemctl reload usherd.service
check "a mistake is told with its line" until_true sh -c "journalctl -u usherd.service --no-pager | grep -q 'test.conf:1: there is no setting subscriptoins'"
check "and in the status" until_true sh -c "systemctl show -P StatusText usherd.service | grep -q 'Not reloaded'"
check "the old configuration still holds" has '"subscriptions":3,' "$(ask hello)"
rm /etc/usher/conf.d/test.conf
systemctl reload usherd.service
ask 'rename After Reload' >/dev/null
said=$(stop_clients)
check "no connection was dropped: $said" has 'ends \[0\]' "$said"
check "all heard of the change" has "names \[('After Reload',)\]" "$said"

run_clients
inode=$(stat -c %i $socket)
check "restart succeeds" systemctl restart usherd.service
check "systemd's socket was left alone" test "$(stat -c %i $socket)" = "$inode"
until_true has 'After Reload' "$(ask user)"
ask 'rename After Restart' >/dev/null
said=$(stop_clients)
check "each connection ended once, and went on from its cursor: $said" has 'ends \[1\] recovered \[1\]' "$said"
check "none missed the change" has "names \[('After Restart',)\]" "$said"

step "kill -9"
before=$(pid)
kill -9 "$before"
check "it comes back" until_true sh -c "p=\$(systemctl show -P MainPID usherd.service); [ \$p != 0 ] && [ \$p != $before ] && systemctl is-active usherd.service"
check "with its state" has 'After Restart' "$(ask user)"

step "watchdog"
mkdir -p /etc/systemd/system/usherd.service.d
printf '[Service]\nWatchdogSec=2s\n' >/etc/systemd/system/usherd.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart usherd.service
sleep 5
before=$(pid)
check "signs of life keep it alive" test "$(property NRestarts)" = 0
kill -STOP "$before"
check "a daemon that hangs is restarted" until_true sh -c "p=\$(systemctl show -P MainPID usherd.service); [ \$p != 0 ] && [ \$p != $before ] && systemctl is-active usherd.service"
check "because of the watchdog" sh -c "journalctl -u usherd.service --no-pager | grep -qi 'watchdog timeout'"
check "and serves" has 'After Restart' "$(ask user)"
rm -r /etc/systemd/system/usherd.service.d
systemctl daemon-reload

step "credential"
mkdir -p /etc/credstore
(umask 077 && echo 0123456789abcdef0123456789abcdef >/etc/credstore/usher.tmdb-api-key)
echo 'movies = tmdb:http://127.0.0.1:9' >/etc/usher/conf.d/test.conf
check "the service starts with the credential" systemctl restart usherd.service
check "and uses it" has 'upstream_failed' "$(ask more)"
refuse "the key is in no log" sh -c "journalctl --no-pager | grep -q 0123456789abcdef0123456789abcdef"
rm /etc/credstore/usher.tmdb-api-key
systemctl stop usherd.service
refuse "without it the service says what is missing" systemctl start usherd.service
check "with the right status" test "$(property ExecMainStatus)" = 78
check "and is not tried again" test "$(property NRestarts)" = 0
check "the reason is in the journal" sh -c "journalctl -u usherd.service --no-pager | grep -q 'TMDB needs a key'"
rm /etc/usher/conf.d/test.conf
systemctl reset-failed usherd.service usherd.socket
systemctl restart usherd.socket
check "the socket starts it again" has 'After Restart' "$(ask user)"

step "SIGUSR1, metrics, stop"
systemctl kill -s USR1 usherd.service
check "the state is in the journal" until_true sh -c "journalctl -u usherd.service --no-pager | grep -q 'state: list popular'"
check "metrics are there" has 'usherd_requests_total' "$(usherctl metrics)"
systemctl stop usherd.service
check "it stopped in peace" test "$(property Result)" = success
check "the socket is still there" test -S $socket

step "without the socket unit"
systemctl stop usherd.socket
refuse "its socket is gone with it" test -e $socket
# The service wants its socket unit; alone, the daemon makes its own.
systemctl mask --runtime usherd.socket >/dev/null 2>&1
check "the service starts without it" systemctl start usherd.service
check "and serves a socket of its own" has 'After Restart' "$(ask user)"
systemctl stop usherd.service
refuse "which goes when it stops" test -e $socket
systemctl unmask --runtime usherd.socket >/dev/null 2>&1

step "removal"
systemctl start usherd.socket
ask user >/dev/null
check "the package can be removed" dpkg --purge usher
refuse "the service is gone" systemctl is-active usherd.service
left=$(find / -xdev \( -path /proc -o -path /sys -o -path /boot-test -o -path /tmp -o -path /var/log \) -prune -o \
    \( -iname '*usherd*' -o -iname '*usherctl*' -o -path '*/usher' -o -path '*/usher/*' -o -name 'usher.*' \) -print 2>/dev/null | sort)
check "only state is left: $(tr '\n' ' ' <<<"$left")" test -z "$(grep -v '^/var/lib/usher' <<<"$left")"
check "the state is left" test -e /var/lib/usher/usher.db

echo "-- $failures failures"
exit $((failures > 0))

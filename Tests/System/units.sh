#!/usr/bin/env bash
# Part of Usher. SPDX-License-Identifier: Apache-2.0
#
# Checks what is installed for systemd, without a systemd that runs: units that make sense, an exposure of at most 1.2,
# an account and a folder that can be made.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "units: $*" >&2; exit 1; }

# Rendered as `make install` does, with a program that exists.
mkdir -p "$work/bin" "$work/system" "$work/user"
ln -s /bin/true "$work/bin/usherd"
for unit in systemd/system/* systemd/user/*; do
    sed -e "s,@bindir@,$work/bin," -e 's,@sysconfdir@,/etc,' "$unit" >"$work/${unit#systemd/}"
done
! grep -rn '@[a-z]*@' "$work/system" "$work/user" || fail "a place is left open"

# verify succeeds with many mistakes: whatever it says is one.
said=$(systemd-analyze verify --man=no "$work"/system/usherd.service "$work"/system/usherd.socket 2>&1) || true
[[ -z $said ]] || fail "$said"
said=$(XDG_RUNTIME_DIR=$work systemd-analyze --user verify --man=no \
    "$work"/user/usherd.service "$work"/user/usherd.socket 2>&1) || true
[[ -z $said ]] || fail "$said"

systemd-analyze security --offline=yes --threshold=12 "$work/system/usherd.service" >"$work/security" ||
    fail "$(tail -1 "$work/security")"
tail -1 "$work/security" | sed 's/^[^A-Za-z]*//'

root=$work/root
mkdir -p "$root/etc"
systemd-sysusers --root="$root" "$PWD/systemd/usher.sysusers"
grep -q '^usher:.*:/var/lib/usher:' "$root/etc/passwd" || fail "no account: $(cat "$root/etc/passwd")"
# Names are looked up on this machine when nobody may enter the folder: the line is checked, and the folder by root.
if [[ $(id -u) == 0 ]]; then
    systemd-tmpfiles --root="$root" --create "$PWD/systemd/usher.tmpfiles"
    [[ $(stat -c '%a %u' "$root/run/usher") == "755 $(awk -F: '$1 == "usher" { print $3 }' "$root/etc/passwd")" ]] ||
        fail "/run/usher is $(stat -c '%a %u' "$root/run/usher")"
fi
echo "units: all is well"

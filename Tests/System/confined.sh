#!/usr/bin/env bash
# Part of Usher. SPDX-License-Identifier: Apache-2.0
#
# Runs the tests of the real daemon with each daemon under the system unit's own system call filter and
# MemoryDenyWriteExecute=. The tests have to be built. What is not a test of a daemon is left out.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The names of a set, with those of the sets in it.
names() {
    systemd-analyze syscall-filter --no-pager "$1" | sed -n 's/^    \([@a-z0-9_-]*\)$/\1/p' | while read -r name; do
        case $name in @*) names "$name" ;; *) echo "$name" ;; esac
    done | sort -u
}
# The unit allows some sets, then takes some away.
unit=systemd/system/usherd.service
for set in $(sed -n 's/^SystemCallFilter=\([^~].*\)/\1/p' "$unit"); do names "$set"; done | sort -u >"$work/allow"
for set in $(sed -n 's/^SystemCallFilter=~\(.*\)/\1/p' "$unit"); do names "$set"; done | sort -u >"$work/deny"
[[ -s $work/allow && -s $work/deny ]] || { echo "confined: no filter in $unit" >&2; exit 1; }
comm -23 "$work/allow" "$work/deny" | sed 's/.*/#ifdef __NR_&\n__NR_&,\n#endif/' >"$work/allowed.h"
case $(uname -m) in
    x86_64) architecture=AUDIT_ARCH_X86_64 ;;
    aarch64) architecture=AUDIT_ARCH_AARCH64 ;;
    *) echo "confined: NOT RUN on $(uname -m)"; exit 0 ;;
esac
cc -Wall -Werror -O1 -I"$work" -DUSHER_ARCHITECTURE=$architecture -o "$work/confine" Tests/System/confine.c
"$work/confine" /bin/true || { echo "confined: NOT RUN: this kernel allows no filter"; exit 0; }
if "$work/confine" /usr/bin/env nice -n -5 true 2>&1 | grep -q 'cannot set niceness'; then
    echo "confined: what the unit forbids is refused"
else
    echo "confined: the filter lets through what the unit forbids" >&2
    exit 1
fi
# The unit forbids chown: under it, the socket's group is the socket unit's business.
no_proxy=127.0.0.1,localhost USHER_TEST_WRAPPER=$work/confine ${SWIFT:-swift} test --skip-build \
    --filter UsherDaemonTests --skip 'begin with who may connect at all'

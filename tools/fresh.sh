#!/usr/bin/env bash
# ./dev fresh: makes an empty Debian 12 in a temporary folder, clones the committed tree into it and runs
# the two commands of the README there, twice, with times and download sizes. Leaves nothing behind.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
say() { printf '== %s\n' "$*" >&2; }
die() { printf 'dev fresh: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "needs root (it mounts and changes root)"
command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"

# The mirror that this machine uses, so that a proxy or a local mirror serves the test too.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  awk '
    /^deb / { for (i = 2; i <= NF; ++i) if ($i ~ /^[a-z]+:\/\//) { print $i, $(i + 1); next } }
    /^URIs:/ { uri = $2 }
    /^Suites:/ { print uri, $2 }' |
  awk '$2 == "bookworm" && !found { print $1; found = 1 }') || true
mirror=${mirror:-http://deb.debian.org/debian}

place=$(mktemp -d "${TMPDIR:-/var/tmp}/asb-fresh.XXXXXX")
machine=$place/root
clean_up() {
  local name
  for name in dev/pts dev/shm sys proc; do
    mountpoint -q "$machine/$name" && umount -l "$machine/$name"
  done
  # Never delete through a mount that is still there.
  if grep -qs " $machine/" /proc/mounts; then say "still mounted, left as it is: $machine"
  else rm -rf --one-file-system "$place"; fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM

say "an empty Debian 12 from $mirror"
start=$SECONDS
debootstrap --variant=minbase bookworm "$machine" "$mirror" >"$place/debootstrap.log" 2>&1 ||
  { tail -n 20 "$place/debootstrap.log" >&2; die "debootstrap failed"; }
say "debootstrap: $((SECONDS - start)) s"

# Sources, keys, proxies and names as on this machine.
rm -f "$machine"/etc/apt/sources.list
cp -a /etc/apt/sources.list "$machine"/etc/apt/ 2>/dev/null || true
cp -a /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources "$machine"/etc/apt/sources.list.d/ 2>/dev/null || true
cp -a /usr/share/keyrings/. "$machine"/usr/share/keyrings/
cp -a /etc/apt/keyrings "$machine"/etc/apt/ 2>/dev/null || true
grep -hs '^ *Acquire::' /etc/apt/apt.conf /etc/apt/apt.conf.d/* >"$machine"/etc/apt/apt.conf.d/90host || true
for name in resolv.conf hosts; do cp -L /etc/$name "$machine/etc/$name"; done
printf '#!/bin/sh\nexit 101\n' >"$machine/usr/sbin/policy-rc.d"  # no services start in here
chmod +x "$machine/usr/sbin/policy-rc.d"

mount -t proc proc "$machine/proc"
mount -t sysfs -o ro sysfs "$machine/sys" 2>/dev/null || say "no /sys in there"
mkdir -p "$machine/dev/pts" "$machine/dev/shm"
mount -t devpts devpts "$machine/dev/pts" 2>/dev/null || true
mount -t tmpfs tmpfs "$machine/dev/shm" 2>/dev/null || true

git clone -q --no-hardlinks "file://$root" "$machine/root/asb"
say "clone of $(git -C "$root" log -1 --format='%h %s')"
[ -z "$(git -C "$root" status --porcelain --untracked-files=no)" ] ||
  say "note: changes that aren't committed are not in the clone"

# inside TEXT: runs a command in the clone with a bare environment, and says how long it took.
inside() {
  local begin=$SECONDS code=0
  say "fresh machine: $*"
  chroot "$machine" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${JOBS:+JOBS="$JOBS"} /bin/bash -c "cd /root/asb && $*" || code=$?
  say "fresh machine: $* took $((SECONDS - begin)) s, exit code $code"
  timings+=("$(printf '%6d s  %s' $((SECONDS - begin)) "$*")")
  return $code
}

timings=()
if [ $# -gt 0 ]; then inside "$*"
else
  inside ./dev run examples/beam/beam.asb
  inside ./dev test
  inside ./dev run examples/beam/beam.asb
  inside ./dev test
fi

say "times"
printf '%s\n' "${timings[@]}" >&2
if [ -f "$machine/root/asb/build/install.size" ]; then
  read -r count bytes <"$machine/root/asb/build/install.size"
  say "$count packages installed, $((bytes / 1000000)) MB downloaded," \
    "$(du -sxm --exclude=./root/asb "$machine" | cut -f1) MB on disk in all"
fi

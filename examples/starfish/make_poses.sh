#!/usr/bin/env bash
# Makes poses/: the skins of eight starfish, each arm curled and bent by its own amount. ASB names the command (default: asb).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
asb=${ASB:-asb}
to=${1:-$here/poses}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$to"
pose() {
  "$asb" run "$here/pose.asb" --set "curl=$2" --set "bend=$3" --out "$scratch/$1" --quiet >"$scratch/log"
  mv "$scratch/$1/skin.obj" "$to/$1.obj"
}
pose pose_0 '[0.5, 0.5, 0.5, 0.5, 0.5]'        '[0, 0, 0, 0, 0]'
pose pose_1 '[-0.4, -0.4, -0.4, -0.4, -0.4]'   '[0, 0, 0, 0, 0]'
pose pose_2 '[0.5, -0.3, 0.4, -0.3, 0.3]'      '[0, 0, 0, 0, 0]'
pose pose_3 '[0, 0, 0, 0, 0]'                  '[0.35, 0.35, 0.35, 0.35, 0.35]'
pose pose_4 '[0, 0.3, 0.5, 0.3, 0]'            '[-0.3, 0, 0, 0, 0.3]'
pose pose_5 '[0.6, 0, -0.2, -0.2, 0]'          '[0, -0.3, 0, 0.3, 0]'
pose pose_6 '[-0.3, 0.5, -0.3, 0.4, 0.1]'      '[0.2, 0.2, -0.2, -0.2, 0.2]'
pose pose_7 '[0.3, 0.1, 0, -0.1, -0.3]'        '[-0.2, 0.3, -0.3, 0.2, 0]'
echo "8 poses in $to"

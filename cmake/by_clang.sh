#!/bin/sh
# by_clang.sh CLANG GCC ARGUMENTS: CLANG compiles what CMake wrote for GCC. Both take `-include x` for x.gch where there is
# one; clang would take the old one for what it makes a new one of, so that is removed.
clang=$1
shift 2
for argument; do
  shift
  case $argument in
    --param=ggc-* | -Wno-subobject-linkage) ;;
    *.gch) rm -f "$argument"; set -- "$@" "$argument" ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "$clang" "$@"

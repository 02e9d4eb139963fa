#!/bin/sh
# What run_mpi.py has each rank run: rank.sh FOLDER PROGRAM [ARGUMENT…]
# Takes the settings meant for all ranks and for this one, and notes in FOLDER which process this is (shell.RANK), which
# plays the rank (pid.RANK) and how it ended (exit.RANK). Only PROGRAM gets the preloaded libraries: neither the launcher nor this shell.
folder=$1
shift
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:?no MPI launcher started this}}
echo $$ >"$folder/shell.$rank"
for settings in "$folder/settings" "$folder/settings.$rank"; do
    if [ -f "$settings" ]; then . "$settings"; fi
done
if [ -n "$preload" ]; then
    LD_PRELOAD=$preload "$@" &
else
    "$@" &
fi
echo $! >"$folder/pid.$rank"
wait $!
code=$?
echo $code >"$folder/exit.$rank"
exit $code

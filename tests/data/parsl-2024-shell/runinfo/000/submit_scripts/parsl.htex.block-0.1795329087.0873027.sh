
export JOBNAME=parsl.htex.block-0.1795329087.0873027
set -e
export CORES=$(getconf _NPROCESSORS_ONLN)
[[ "1" == "1" ]] && echo "Found cores : $CORES"
WORKERCOUNT=1
FAILONANY=0
PIDS=""

CMD() {
env "PERFFLOW_OPTIONS=log-dir=/home/user/runs/runinfo/000/traces${PERFFLOW_OPTIONS:+:$PERFFLOW_OPTIONS}" "PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}/opt/spanloom/python:/opt/spanloom/python" process_worker_pool.py  --max_workers_per_node=2 -a 127.0.0.1 -p 0 -c 1.0 -m None --poll 10 --task_port=54154 --result_port=54655 --cert_dir None --logdir=/home/user/runs/runinfo/000/htex --block_id=0 --hb_period=30  --hb_threshold=120 --drain_period=None --cpu-affinity none  --mpi-launcher=mpiexec --available-accelerators 
}
for COUNT in $(seq 1 1 $WORKERCOUNT); do
    [[ "1" == "1" ]] && echo "Launching worker: $COUNT"
    CMD $COUNT &
    PIDS="$PIDS $!"
done

ALLFAILED=1
ANYFAILED=0
for PID in $PIDS ; do
    wait $PID
    if [ "$?" != "0" ]; then
        ANYFAILED=1
    else
        ALLFAILED=0
    fi
done

[[ "1" == "1" ]] && echo "All workers done"
if [ "$FAILONANY" == "1" ]; then
    exit $ANYFAILED
else
    exit $ALLFAILED
fi

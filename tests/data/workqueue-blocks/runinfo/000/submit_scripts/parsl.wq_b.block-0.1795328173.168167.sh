
export JOBNAME=parsl.wq_b.block-0.1795328173.168167
PARSL_WORKER_BLOCK_ID=0 work_queue_worker --cores 2 --memory 1000 --disk 1000 -t 60 127.0.0.1 1027
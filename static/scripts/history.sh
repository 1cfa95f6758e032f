#!/bin/bash
# Every change of any key takes the next revision of the whole store.
etcdctl put /test/piyo piyo
etcdctl put /test/piyo2 piyo2
etcdctl put /test/piyo again
etcdctl get --prefix /test --sort-by=CREATE
etcdctl get /test/piyo --rev 2
etcdctl del /test/piyo2

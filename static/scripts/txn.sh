#!/bin/bash
# Written only if the key is absent: how kube-apiserver creates an object.
etcdctl txn <<END
mod("/test/once") = "0"

put /test/once first

get /test/once

END

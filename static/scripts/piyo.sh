#!/bin/bash
etcdctl put /test/piyo piyo

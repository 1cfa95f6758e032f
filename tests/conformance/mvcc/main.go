// Records what a real etcd answers to seeded sequences of requests, for crates/mvcc/tests/recorded.rs.
//
//	go run . -out ../../golden/mvcc
//
// Each sequence runs against a fresh single member in this process, over its real gRPC API. A line of a recording is one
// request with its answer, both as base64 of their protobuf bytes, or the error's code and text. What differs from run to
// run is cleared: cluster id, member id and Raft term in headers, remaining seconds of leases. Events of watchers are
// recorded per watcher, not per response, since batching depends on timing.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type line struct {
	Op   string `json:"op"`
	Req  string `json:"req,omitempty"`
	Resp string `json:"resp,omitempty"`
	Code uint32 `json:"code,omitempty"`
	Text string `json:"text,omitempty"`
	// Of a watcher: its stream and id.
	Stream int   `json:"stream,omitempty"`
	ID     int64 `json:"id,omitempty"`
}

type message interface{ Marshal() ([]byte, error) }

func encode(m message) string {
	b, err := m.Marshal()
	if err != nil {
		log.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func start(dir string) (*embed.Etcd, *grpc.ClientConn) {
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.LogLevel = "panic"
	cfg.UnsafeNoFsync = true
	any0, _ := url.Parse("http://127.0.0.1:0")
	peer, _ := url.Parse("http://127.0.0.1:1")
	cfg.ListenClientUrls = []url.URL{*any0}
	cfg.AdvertiseClientUrls = []url.URL{*any0}
	cfg.ListenPeerUrls = []url.URL{*any0}
	cfg.AdvertisePeerUrls = []url.URL{*peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		log.Fatal(err)
	}
	<-e.Server.ReadyNotify()
	conn, err := grpc.NewClient(e.Clients[0].Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	return e, conn
}

func main() {
	out := flag.String("out", ".", "folder of the recordings")
	count := flag.Int("sequences", 24, "number of sequences")
	ops := flag.Int("ops", 200, "requests per sequence")
	flag.Parse()
	if err := os.MkdirAll(*out, 0o755); err != nil {
		log.Fatal(err)
	}
	for seed := 1; seed <= *count; seed++ {
		dir, err := os.MkdirTemp("", "etcd")
		if err != nil {
			log.Fatal(err)
		}
		e, conn := start(dir)
		r := newRecorder(conn, rand.New(rand.NewPCG(uint64(seed), 0)), seed)
		begin := time.Now()
		r.run(*ops)
		conn.Close()
		e.Close()
		os.RemoveAll(dir)
		var buf bytes.Buffer
		z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
		enc := json.NewEncoder(z)
		for _, l := range r.lines {
			if err := enc.Encode(l); err != nil {
				log.Fatal(err)
			}
		}
		z.Close()
		name := filepath.Join(*out, fmt.Sprintf("%02d.jsonl.gz", seed))
		if err := os.WriteFile(name, buf.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d lines, %d bytes, %v\n", name, len(r.lines), buf.Len(), time.Since(begin).Round(time.Millisecond))
	}
}

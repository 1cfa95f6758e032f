package main

import (
	"context"
	"log"
	"math/rand/v2"
	"sort"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

type recorder struct {
	g     *generator
	kv    pb.KVClient
	lease pb.LeaseClient
	maint pb.MaintenanceClient
	watch pb.WatchClient
	main  *stream
	lines []line
}

// One watch stream. Events are gathered per watcher until they are recorded.
type stream struct {
	client pb.Watch_WatchClient
	events map[int64]*pb.WatchResponse
	ids    []int64
}

func newRecorder(conn *grpc.ClientConn, rnd *rand.Rand, seed int) *recorder {
	g := &generator{Rand: rnd, keys: 12, rev: 1, compact: -1, anySort: true}
	if seed%4 == 0 {
		g.keys, g.anySort = 60, false
	}
	return &recorder{
		g: g, kv: pb.NewKVClient(conn), lease: pb.NewLeaseClient(conn),
		maint: pb.NewMaintenanceClient(conn), watch: pb.NewWatchClient(conn),
	}
}

func clear(h *pb.ResponseHeader) {
	if h != nil {
		h.ClusterId, h.MemberId, h.RaftTerm = 0, 0, 0
	}
}

// Adds a line; reports whether the request succeeded.
func (r *recorder) add(op string, req, resp message, h *pb.ResponseHeader, err error) bool {
	l := line{Op: op, Req: encode(req)}
	if err != nil {
		s := status.Convert(err)
		l.Code, l.Text = uint32(s.Code()), s.Message()
	} else {
		if h != nil && h.Revision > r.g.rev {
			r.g.rev = h.Revision
		}
		clear(h)
		l.Resp = encode(resp)
	}
	r.lines = append(r.lines, l)
	return err == nil
}

func (r *recorder) run(ops int) {
	for range ops {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		r.one(ctx)
		cancel()
	}
	r.finish()
}

func (r *recorder) one(ctx context.Context) {
	g := r.g
	switch n := g.IntN(100); {
	case n < 30:
		q := g.put()
		a, err := r.kv.Put(ctx, q)
		r.add("put", q, a, a.GetHeader(), err)
	case n < 52:
		q := g.rangeRequest()
		a, err := r.kv.Range(ctx, q)
		r.add("range", q, a, a.GetHeader(), err)
	case n < 62:
		q := g.deleteRange()
		a, err := r.kv.DeleteRange(ctx, q)
		r.add("delete_range", q, a, a.GetHeader(), err)
	case n < 82:
		q := g.txn(0)
		a, err := r.kv.Txn(ctx, q)
		r.add("txn", q, a, a.GetHeader(), err)
	case n < 85:
		r.compact(ctx)
	case n < 89:
		r.leases(ctx)
	case n < 93:
		q := &pb.HashKVRequest{}
		if g.chance(60) {
			q.Revision = g.revision()
		}
		a, err := r.maint.HashKV(ctx, q)
		r.add("hash_kv", q, a, a.GetHeader(), err)
	default:
		r.watchOne()
	}
}

func (r *recorder) compact(ctx context.Context) {
	g := r.g
	r.settle()
	q := &pb.CompactionRequest{Physical: true, Revision: g.revision()}
	if g.chance(40) {
		q.Revision = g.rev - g.Int64N(3)
	}
	a, err := r.kv.Compact(ctx, q)
	if r.add("compact", q, a, a.GetHeader(), err) {
		g.compact = q.Revision
	}
}

func (r *recorder) leases(ctx context.Context) {
	g := r.g
	switch n := g.IntN(10); {
	case n < 5 || len(g.leases) == 0:
		g.nextID++
		q := &pb.LeaseGrantRequest{TTL: 100000 + g.Int64N(100), ID: g.nextID}
		if g.chance(10) {
			q.ID = 1
		}
		if g.chance(10) {
			q.TTL = 9000000001
		}
		a, err := r.lease.LeaseGrant(ctx, q)
		if r.add("lease_grant", q, a, a.GetHeader(), err) {
			g.leases = append(g.leases, q.ID)
		}
	case n < 7:
		i := g.IntN(len(g.leases))
		q := &pb.LeaseRevokeRequest{ID: g.leases[i]}
		if g.chance(10) {
			q.ID = 777777
		}
		a, err := r.lease.LeaseRevoke(ctx, q)
		if r.add("lease_revoke", q, a, a.GetHeader(), err) {
			g.leases = append(g.leases[:i], g.leases[i+1:]...)
		}
	default:
		q := &pb.LeaseTimeToLiveRequest{ID: g.leases[g.IntN(len(g.leases))], Keys: true}
		a, err := r.lease.LeaseTimeToLive(ctx, q)
		if err == nil {
			a.TTL = 0
			sort.Slice(a.Keys, func(i, j int) bool { return string(a.Keys[i]) < string(a.Keys[j]) })
		}
		r.add("lease_time_to_live", q, a, a.GetHeader(), err)
	}
}

func (r *recorder) open() *stream {
	c, err := r.watch.Watch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	return &stream{client: c, events: map[int64]*pb.WatchResponse{}}
}

func (s *stream) send(q *pb.WatchRequest) {
	if err := s.client.Send(q); err != nil {
		log.Fatal(err)
	}
}

// Reads until a response is wanted, gathering events on the way.
func (s *stream) until(want func(*pb.WatchResponse) bool) *pb.WatchResponse {
	for {
		a, err := s.client.Recv()
		if err != nil {
			log.Fatal(err)
		}
		if want(a) {
			return a
		}
		if w := s.events[a.WatchId]; w != nil {
			w.Events = append(w.Events, a.Events...)
		} else if a.WatchId != -1 {
			log.Fatalf("unexpected %v", a)
		}
	}
}

func (r *recorder) watchOne() {
	g := r.g
	if r.main == nil {
		r.main = r.open()
	}
	c := &pb.WatchCreateRequest{PrevKv: g.chance(50)}
	c.Key, c.RangeEnd = g.span()
	if g.chance(60) {
		c.StartRevision = g.revision()
	}
	if g.chance(10) {
		c.WatchId = 1 + g.Int64N(5)
	}
	for f := range 2 {
		if g.chance(15) {
			c.Filters = append(c.Filters, pb.WatchCreateRequest_FilterType(f))
		}
	}
	if c.StartRevision > g.maxStart {
		g.maxStart = c.StartRevision
	}
	s := r.main
	lost := c.StartRevision > 0 && c.StartRevision < g.compact
	number := 1
	if lost {
		s, number = r.open(), 2
	}
	q := &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: c}}
	s.send(q)
	a := s.until(func(a *pb.WatchResponse) bool { return a.Created })
	clear(a.Header)
	r.lines = append(r.lines, line{Op: "watch", Req: encode(q), Resp: encode(a), Stream: number})
	if lost && !a.Canceled {
		a := s.until(func(a *pb.WatchResponse) bool { return a.Canceled })
		clear(a.Header)
		r.lines = append(r.lines, line{Op: "watch_lost", Resp: encode(a), Stream: number})
	}
	if lost {
		s.client.CloseSend()
	} else if !a.Canceled {
		s.events[a.WatchId] = &pb.WatchResponse{}
		s.ids = append(s.ids, a.WatchId)
	}
}

// Waits until every watcher has got everything: only then a progress request is answered.
func (r *recorder) settle() {
	if r.main == nil || len(r.main.ids) == 0 {
		return
	}
	for r.g.rev <= r.g.maxStart {
		q := &pb.PutRequest{Key: []byte("fill"), Value: []byte("x")}
		a, err := r.kv.Put(context.Background(), q)
		r.add("put", q, a, a.GetHeader(), err)
	}
	done := make(chan bool)
	go func() {
		r.main.until(func(a *pb.WatchResponse) bool { return a.WatchId == -1 && !a.Created && a.Header.Revision >= r.g.rev })
		close(done)
	}()
	q := &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}}
	for {
		r.main.send(q)
		select {
		case <-done:
			// Answers to repeated requests may still come: they are passed over.
			r.lines = append(r.lines, line{Op: "settled"})
			return
		case <-time.After(150 * time.Millisecond):
		}
	}
}

func (r *recorder) finish() {
	if r.main == nil || len(r.main.ids) == 0 {
		return
	}
	r.settle()
	for _, id := range r.main.ids {
		r.lines = append(r.lines, line{Op: "events", Stream: 1, ID: id, Resp: encode(r.main.events[id])})
	}
}

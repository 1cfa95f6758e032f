package main

import (
	"fmt"
	"math/rand/v2"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// What requests are made of. Keys are few, so that they meet; in sequences that sort by anything but the key there are at
// most twelve, since Go's sort keeps ties in order only for so many.
type generator struct {
	*rand.Rand
	keys     int
	rev      int64 // the store's revision, as far as it was seen
	compact  int64
	leases   []int64
	anySort  bool
	nextID   int64
	maxStart int64
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) key() []byte {
	if g.chance(1) {
		return nil
	}
	return []byte(fmt.Sprintf("k/%02d", g.IntN(g.keys)))
}

// A key and a range end.
func (g *generator) span() ([]byte, []byte) {
	switch n := g.IntN(100); {
	case n < 45:
		return g.key(), nil
	case n < 70:
		return g.key(), g.key()
	case n < 80:
		return g.key(), []byte{0}
	case n < 90:
		return []byte("k/"), []byte("k0")
	case n < 95:
		return []byte{0}, []byte{0}
	default:
		return []byte("k/0"), []byte("k/1")
	}
}

func (g *generator) value() []byte {
	if g.chance(10) {
		return nil
	}
	return []byte(fmt.Sprintf("v%d", g.IntN(5)))
}

// A revision that is mostly readable.
func (g *generator) revision() int64 {
	switch n := g.IntN(100); {
	case n < 5:
		return g.rev + 1 + g.Int64N(3)
	case n < 8:
		return -g.Int64N(4)
	case n < 12 && g.compact > 1:
		return g.compact - 1
	case n < 20 && g.compact > 0:
		return g.compact
	default:
		return 1 + g.Int64N(g.rev)
	}
}

func (g *generator) lease() int64 {
	if len(g.leases) == 0 || g.chance(60) {
		return 0
	}
	if g.chance(5) {
		return 999999
	}
	return g.leases[g.IntN(len(g.leases))]
}

func (g *generator) put() *pb.PutRequest {
	p := &pb.PutRequest{Key: g.key(), Value: g.value(), Lease: g.lease(), PrevKv: g.chance(30)}
	if g.chance(10) {
		p.IgnoreValue = true
		if g.chance(90) {
			p.Value = nil
		}
	}
	if g.chance(10) {
		p.IgnoreLease = true
		if g.chance(90) {
			p.Lease = 0
		}
	}
	return p
}

func (g *generator) deleteRange() *pb.DeleteRangeRequest {
	d := &pb.DeleteRangeRequest{PrevKv: g.chance(40)}
	d.Key, d.RangeEnd = g.span()
	if g.chance(60) {
		d.RangeEnd = nil
	}
	return d
}

func (g *generator) rangeRequest() *pb.RangeRequest {
	r := &pb.RangeRequest{Serializable: g.chance(30), KeysOnly: g.chance(10), CountOnly: g.chance(10)}
	r.Key, r.RangeEnd = g.span()
	if g.chance(35) {
		r.Revision = g.revision()
	}
	if g.chance(35) {
		r.Limit = g.Int64N(6)
	}
	if g.chance(40) {
		r.SortOrder = pb.RangeRequest_SortOrder(g.IntN(3))
		if g.anySort {
			r.SortTarget = pb.RangeRequest_SortTarget(g.IntN(5))
		}
	}
	if g.chance(1) {
		r.SortTarget = 7
	}
	for _, f := range []*int64{&r.MinModRevision, &r.MaxModRevision, &r.MinCreateRevision, &r.MaxCreateRevision} {
		if g.chance(8) {
			*f = g.Int64N(g.rev + 2)
		}
	}
	return r
}

func (g *generator) compare() *pb.Compare {
	c := &pb.Compare{Result: pb.Compare_CompareResult(g.IntN(4)), Target: pb.Compare_CompareTarget(g.IntN(5))}
	c.Key = g.key()
	if g.chance(15) {
		c.Key, c.RangeEnd = g.span()
	}
	kind := c.Target
	if g.chance(5) {
		kind = pb.Compare_CompareTarget(g.IntN(5))
	}
	n := g.Int64N(4)
	switch kind {
	case pb.Compare_VERSION:
		c.TargetUnion = &pb.Compare_Version{Version: n}
	case pb.Compare_CREATE:
		c.TargetUnion = &pb.Compare_CreateRevision{CreateRevision: g.Int64N(g.rev + 1)}
	case pb.Compare_MOD:
		c.TargetUnion = &pb.Compare_ModRevision{ModRevision: g.Int64N(g.rev + 1)}
	case pb.Compare_VALUE:
		c.TargetUnion = &pb.Compare_Value{Value: g.value()}
	case pb.Compare_LEASE:
		c.TargetUnion = &pb.Compare_Lease{Lease: g.lease()}
	}
	if g.chance(5) {
		c.TargetUnion = nil
	}
	return c
}

func (g *generator) ops(depth int) []*pb.RequestOp {
	n := g.IntN(4)
	if g.chance(1) && depth == 0 {
		n = 127 + g.IntN(3)
	}
	var ops []*pb.RequestOp
	for range n {
		op := &pb.RequestOp{}
		switch k := g.IntN(100); {
		case k < 40:
			op.Request = &pb.RequestOp_RequestPut{RequestPut: g.put()}
		case k < 70:
			op.Request = &pb.RequestOp_RequestRange{RequestRange: g.rangeRequest()}
		case k < 85:
			op.Request = &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: g.deleteRange()}
		case k < 99 && depth < 3:
			op.Request = &pb.RequestOp_RequestTxn{RequestTxn: g.txn(depth + 1)}
		}
		ops = append(ops, op)
	}
	return deletesLast(ops, depth)
}

// etcd's overlap check does not see a deletion "from the key on". A put of the same key after it, in the same
// transaction, makes the server panic if it ignores value or lease, and lets a later compaction remove the row, which
// kills the server when the key is read. So such deletions stand only at the end of an outermost list.
func deletesLast(ops []*pb.RequestOp, depth int) []*pb.RequestOp {
	var first, last []*pb.RequestOp
	for _, op := range ops {
		if d := op.GetRequestDeleteRange(); d != nil && len(d.RangeEnd) == 1 {
			if depth == 0 {
				last = append(last, op)
				continue
			}
			d.RangeEnd = nil
		}
		first = append(first, op)
	}
	return append(first, last...)
}

func (g *generator) txn(depth int) *pb.TxnRequest {
	t := &pb.TxnRequest{}
	for range g.IntN(3) {
		t.Compare = append(t.Compare, g.compare())
	}
	t.Success = g.ops(depth)
	t.Failure = g.ops(depth)
	return t
}

//! etcdserverpb, raftpb, mvccpb and HTTP messages with their byte spans.

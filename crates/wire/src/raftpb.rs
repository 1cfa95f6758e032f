//! `raftpb`: what members say to each other and what stands in the log (go.etcd.io/raft/v3 raftpb, proto2).
//!
//! gogo writes non-nullable proto2 fields even when they are zero; they are `required` here, so that the bytes are the same.
//! Enumerations are plain `i32` fields with constants beside them, as on the wire.

use bytes::Bytes;

/// An entry's payload is an application command.
pub const ENTRY_NORMAL: i32 = 0;
/// An entry's payload is a [`ConfChange`].
pub const ENTRY_CONF_CHANGE: i32 = 1;
/// An entry's payload is a ConfChangeV2.
pub const ENTRY_CONF_CHANGE_V2: i32 = 2;

/// One entry of the replicated log.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Entry {
    /// One of `ENTRY_*`.
    #[prost(int32, required, tag = "1")]
    pub r#type: i32,
    /// Term of the leader that made it.
    #[prost(uint64, required, tag = "2")]
    pub term: u64,
    /// Its place in the log, from 1.
    #[prost(uint64, required, tag = "3")]
    pub index: u64,
    /// Payload; a new leader's first entry has none. Shared, never copied per member.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub data: Option<Bytes>,
}

impl Entry {
    /// The payload; empty if there is none.
    pub fn payload(&self) -> &[u8] {
        self.data.as_deref().unwrap_or_default()
    }
}

/// The members of a configuration.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ConfState {
    /// Voting members.
    #[prost(uint64, repeated, packed = "false", tag = "1")]
    pub voters: Vec<u64>,
    /// Members that only receive the log.
    #[prost(uint64, repeated, packed = "false", tag = "2")]
    pub learners: Vec<u64>,
    /// Voters of the outgoing half of a joint configuration.
    #[prost(uint64, repeated, packed = "false", tag = "3")]
    pub voters_outgoing: Vec<u64>,
    /// Voters that become learners when the joint configuration is left.
    #[prost(uint64, repeated, packed = "false", tag = "4")]
    pub learners_next: Vec<u64>,
    /// Whether the joint configuration is left by itself.
    #[prost(bool, required, tag = "5")]
    pub auto_leave: bool,
}

/// What a snapshot covers.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SnapshotMetadata {
    /// Configuration as of `index`.
    #[prost(message, required, tag = "1")]
    pub conf_state: ConfState,
    /// Last index it covers.
    #[prost(uint64, required, tag = "2")]
    pub index: u64,
    /// Term of that index.
    #[prost(uint64, required, tag = "3")]
    pub term: u64,
}

/// A snapshot of the state machine.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Snapshot {
    /// The application's bytes.
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub data: Option<Bytes>,
    /// What it covers.
    #[prost(message, required, tag = "2")]
    pub metadata: SnapshotMetadata,
}

/// Types of messages, in the order of their wire values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
#[allow(missing_docs)] // the protocol's own names
pub enum MessageType {
    MsgHup = 0,
    MsgBeat = 1,
    MsgProp = 2,
    MsgApp = 3,
    MsgAppResp = 4,
    MsgVote = 5,
    MsgVoteResp = 6,
    MsgSnap = 7,
    MsgHeartbeat = 8,
    MsgHeartbeatResp = 9,
    MsgUnreachable = 10,
    MsgSnapStatus = 11,
    MsgCheckQuorum = 12,
    MsgTransferLeader = 13,
    MsgTimeoutNow = 14,
    MsgReadIndex = 15,
    MsgReadIndexResp = 16,
    MsgPreVote = 17,
    MsgPreVoteResp = 18,
    MsgStorageAppend = 19,
    MsgStorageAppendResp = 20,
    MsgStorageApply = 21,
    MsgStorageApplyResp = 22,
    MsgForgetLeader = 23,
}

impl MessageType {
    /// The protocol's name.
    pub fn name(self) -> &'static str {
        match self {
            MessageType::MsgHup => "MsgHup",
            MessageType::MsgBeat => "MsgBeat",
            MessageType::MsgProp => "MsgProp",
            MessageType::MsgApp => "MsgApp",
            MessageType::MsgAppResp => "MsgAppResp",
            MessageType::MsgVote => "MsgVote",
            MessageType::MsgVoteResp => "MsgVoteResp",
            MessageType::MsgSnap => "MsgSnap",
            MessageType::MsgHeartbeat => "MsgHeartbeat",
            MessageType::MsgHeartbeatResp => "MsgHeartbeatResp",
            MessageType::MsgUnreachable => "MsgUnreachable",
            MessageType::MsgSnapStatus => "MsgSnapStatus",
            MessageType::MsgCheckQuorum => "MsgCheckQuorum",
            MessageType::MsgTransferLeader => "MsgTransferLeader",
            MessageType::MsgTimeoutNow => "MsgTimeoutNow",
            MessageType::MsgReadIndex => "MsgReadIndex",
            MessageType::MsgReadIndexResp => "MsgReadIndexResp",
            MessageType::MsgPreVote => "MsgPreVote",
            MessageType::MsgPreVoteResp => "MsgPreVoteResp",
            MessageType::MsgStorageAppend => "MsgStorageAppend",
            MessageType::MsgStorageAppendResp => "MsgStorageAppendResp",
            MessageType::MsgStorageApply => "MsgStorageApply",
            MessageType::MsgStorageApplyResp => "MsgStorageApplyResp",
            MessageType::MsgForgetLeader => "MsgForgetLeader",
        }
    }
}

/// One message between two members, or from a member to itself.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Message {
    /// What it asks or answers.
    #[prost(enumeration = "MessageType", required, tag = "1")]
    pub r#type: i32,
    /// Receiver's id.
    #[prost(uint64, required, tag = "2")]
    pub to: u64,
    /// Sender's id.
    #[prost(uint64, required, tag = "3")]
    pub from: u64,
    /// Sender's term; 0 in local messages and in proposals.
    #[prost(uint64, required, tag = "4")]
    pub term: u64,
    /// MsgApp: term of the entry before the first one sent. MsgVote: term of the candidate's last entry.
    #[prost(uint64, required, tag = "5")]
    pub log_term: u64,
    /// MsgApp: index of the entry before the first one sent. MsgAppResp: last index accepted (or the one refused).
    #[prost(uint64, required, tag = "6")]
    pub index: u64,
    /// Entries to append or to propose; a read request's context.
    #[prost(message, repeated, tag = "7")]
    pub entries: Vec<Entry>,
    /// The sender's commit index.
    #[prost(uint64, required, tag = "8")]
    pub commit: u64,
    /// MsgSnap: the snapshot.
    #[prost(message, optional, tag = "9")]
    pub snapshot: Option<Snapshot>,
    /// The answer is no.
    #[prost(bool, required, tag = "10")]
    pub reject: bool,
    /// MsgAppResp, refused: where the follower's log may agree.
    #[prost(uint64, required, tag = "11")]
    pub reject_hint: u64,
    /// MsgVote: `CampaignTransfer` if the leader asked for it. Heartbeats: the read request they confirm.
    #[prost(bytes = "bytes", optional, tag = "12")]
    pub context: Option<Bytes>,
    /// Vote, in storage messages.
    #[prost(uint64, required, tag = "13")]
    pub vote: u64,
    /// Answers to send after a storage message was dealt with.
    #[prost(message, repeated, tag = "14")]
    pub responses: Vec<Message>,
}

impl Message {
    /// A message of type `t` to `to`, everything else zero.
    pub fn new(t: MessageType, to: u64) -> Message {
        Message { r#type: t as i32, to, ..Message::default() }
    }

    /// Its type. Bytes from elsewhere may hold an unknown number, which counts as MsgHup, a type never accepted from others.
    pub fn kind(&self) -> MessageType {
        MessageType::try_from(self.r#type).unwrap_or(MessageType::MsgHup)
    }
}

/// What must be on disk before messages are sent.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct HardState {
    /// Highest term seen.
    #[prost(uint64, required, tag = "1")]
    pub term: u64,
    /// Who got this member's vote in that term; 0 for nobody.
    #[prost(uint64, required, tag = "2")]
    pub vote: u64,
    /// Commit index, kept so that a restarted member can apply at once.
    #[prost(uint64, required, tag = "3")]
    pub commit: u64,
}

/// Adds a voter.
pub const CONF_CHANGE_ADD_NODE: i32 = 0;
/// Removes a member.
pub const CONF_CHANGE_REMOVE_NODE: i32 = 1;
/// Changes a member's attributes only.
pub const CONF_CHANGE_UPDATE_NODE: i32 = 2;
/// Adds a learner.
pub const CONF_CHANGE_ADD_LEARNER_NODE: i32 = 3;

/// One change of the configuration.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ConfChange {
    /// Request id.
    #[prost(uint64, required, tag = "1")]
    pub id: u64,
    /// One of `CONF_CHANGE_*`.
    #[prost(int32, required, tag = "2")]
    pub r#type: i32,
    /// The member it is about.
    #[prost(uint64, required, tag = "3")]
    pub node_id: u64,
    /// The application's description of the member (etcd: JSON).
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub context: Option<Bytes>,
}

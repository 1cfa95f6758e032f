//! Field names and types of every message, as the .proto files of etcd 3.6 and raft 3.6 number them.

use super::{Field, Kind, Message};

macro_rules! table {
    (enums { $($e:ident = $($num:literal $label:literal)+;)* } messages { $($id:ident $full:literal : $($n:literal $name:literal $kind:expr;)*)* }) => {
        $(static $e: &[(i32, &str)] = &[$(($num, $label)),+];)*
        $(static $id: Message = Message { name: $full, fields: &[$(Field { number: $n, name: $name, kind: $kind }),*] };)*
        /// Every message, in the order of the .proto files.
        pub static MESSAGES: &[&Message] = &[$(&$id),*];
    };
}

#[rustfmt::skip]
use Kind::{Bool, Bytes, Enum, Int64, Message as Msg, String as Str, Uint32, Uint64};

table! {
    enums {
        ETCDSERVERPB_RANGE_REQUEST_SORT_ORDER = 0 "NONE" 1 "ASCEND" 2 "DESCEND";
        ETCDSERVERPB_RANGE_REQUEST_SORT_TARGET = 0 "KEY" 1 "VERSION" 2 "CREATE" 3 "MOD" 4 "VALUE";
        ETCDSERVERPB_COMPARE_COMPARE_RESULT = 0 "EQUAL" 1 "GREATER" 2 "LESS" 3 "NOT_EQUAL";
        ETCDSERVERPB_COMPARE_COMPARE_TARGET = 0 "VERSION" 1 "CREATE" 2 "MOD" 3 "VALUE" 4 "LEASE";
        ETCDSERVERPB_WATCH_CREATE_REQUEST_FILTER_TYPE = 0 "NOPUT" 1 "NODELETE";
        ETCDSERVERPB_ALARM_TYPE = 0 "NONE" 1 "NOSPACE" 2 "CORRUPT";
        ETCDSERVERPB_ALARM_REQUEST_ALARM_ACTION = 0 "GET" 1 "ACTIVATE" 2 "DEACTIVATE";
        ETCDSERVERPB_DOWNGRADE_REQUEST_DOWNGRADE_ACTION = 0 "VALIDATE" 1 "ENABLE" 2 "CANCEL";
        MVCCPB_EVENT_EVENT_TYPE = 0 "PUT" 1 "DELETE";
        AUTHPB_PERMISSION_TYPE = 0 "READ" 1 "WRITE" 2 "READWRITE";
        RAFTPB_ENTRY_TYPE = 0 "EntryNormal" 1 "EntryConfChange" 2 "EntryConfChangeV2";
        RAFTPB_MESSAGE_TYPE = 0 "MsgHup" 1 "MsgBeat" 2 "MsgProp" 3 "MsgApp" 4 "MsgAppResp" 5 "MsgVote" 6 "MsgVoteResp" 7 "MsgSnap" 8 "MsgHeartbeat" 9 "MsgHeartbeatResp" 10 "MsgUnreachable" 11 "MsgSnapStatus" 12 "MsgCheckQuorum" 13 "MsgTransferLeader" 14 "MsgTimeoutNow" 15 "MsgReadIndex" 16 "MsgReadIndexResp" 17 "MsgPreVote" 18 "MsgPreVoteResp" 19 "MsgStorageAppend" 20 "MsgStorageAppendResp" 21 "MsgStorageApply" 22 "MsgStorageApplyResp" 23 "MsgForgetLeader";
        RAFTPB_CONF_CHANGE_TRANSITION = 0 "ConfChangeTransitionAuto" 1 "ConfChangeTransitionJointImplicit" 2 "ConfChangeTransitionJointExplicit";
        RAFTPB_CONF_CHANGE_TYPE = 0 "ConfChangeAddNode" 1 "ConfChangeRemoveNode" 2 "ConfChangeUpdateNode" 3 "ConfChangeAddLearnerNode";
    }
    messages {
        ETCDSERVERPB_RESPONSE_HEADER "etcdserverpb.ResponseHeader": 1 "cluster_id" Uint64; 2 "member_id" Uint64; 3 "revision" Int64; 4 "raft_term" Uint64;
        ETCDSERVERPB_RANGE_REQUEST "etcdserverpb.RangeRequest": 1 "key" Bytes; 2 "range_end" Bytes; 3 "limit" Int64; 4 "revision" Int64;
            5 "sort_order" Enum(ETCDSERVERPB_RANGE_REQUEST_SORT_ORDER);
            6 "sort_target" Enum(ETCDSERVERPB_RANGE_REQUEST_SORT_TARGET); 7 "serializable" Bool;
            8 "keys_only" Bool; 9 "count_only" Bool; 10 "min_mod_revision" Int64; 11 "max_mod_revision" Int64;
            12 "min_create_revision" Int64; 13 "max_create_revision" Int64;
        ETCDSERVERPB_RANGE_RESPONSE "etcdserverpb.RangeResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "kvs" Msg(&MVCCPB_KEY_VALUE); 3 "more" Bool;
            4 "count" Int64;
        ETCDSERVERPB_PUT_REQUEST "etcdserverpb.PutRequest": 1 "key" Bytes; 2 "value" Bytes; 3 "lease" Int64; 4 "prev_kv" Bool; 5 "ignore_value" Bool;
            6 "ignore_lease" Bool;
        ETCDSERVERPB_PUT_RESPONSE "etcdserverpb.PutResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "prev_kv" Msg(&MVCCPB_KEY_VALUE);
        ETCDSERVERPB_DELETE_RANGE_REQUEST "etcdserverpb.DeleteRangeRequest": 1 "key" Bytes; 2 "range_end" Bytes; 3 "prev_kv" Bool;
        ETCDSERVERPB_DELETE_RANGE_RESPONSE "etcdserverpb.DeleteRangeResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "deleted" Int64;
            3 "prev_kvs" Msg(&MVCCPB_KEY_VALUE);
        ETCDSERVERPB_REQUEST_OP "etcdserverpb.RequestOp": 1 "request_range" Msg(&ETCDSERVERPB_RANGE_REQUEST); 2 "request_put" Msg(&ETCDSERVERPB_PUT_REQUEST);
            3 "request_delete_range" Msg(&ETCDSERVERPB_DELETE_RANGE_REQUEST);
            4 "request_txn" Msg(&ETCDSERVERPB_TXN_REQUEST);
        ETCDSERVERPB_RESPONSE_OP "etcdserverpb.ResponseOp": 1 "response_range" Msg(&ETCDSERVERPB_RANGE_RESPONSE);
            2 "response_put" Msg(&ETCDSERVERPB_PUT_RESPONSE);
            3 "response_delete_range" Msg(&ETCDSERVERPB_DELETE_RANGE_RESPONSE);
            4 "response_txn" Msg(&ETCDSERVERPB_TXN_RESPONSE);
        ETCDSERVERPB_COMPARE "etcdserverpb.Compare": 1 "result" Enum(ETCDSERVERPB_COMPARE_COMPARE_RESULT);
            2 "target" Enum(ETCDSERVERPB_COMPARE_COMPARE_TARGET); 3 "key" Bytes; 4 "version" Int64;
            5 "create_revision" Int64; 6 "mod_revision" Int64; 7 "value" Bytes; 8 "lease" Int64;
            64 "range_end" Bytes;
        ETCDSERVERPB_TXN_REQUEST "etcdserverpb.TxnRequest": 1 "compare" Msg(&ETCDSERVERPB_COMPARE); 2 "success" Msg(&ETCDSERVERPB_REQUEST_OP);
            3 "failure" Msg(&ETCDSERVERPB_REQUEST_OP);
        ETCDSERVERPB_TXN_RESPONSE "etcdserverpb.TxnResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "succeeded" Bool;
            3 "responses" Msg(&ETCDSERVERPB_RESPONSE_OP);
        ETCDSERVERPB_COMPACTION_REQUEST "etcdserverpb.CompactionRequest": 1 "revision" Int64; 2 "physical" Bool;
        ETCDSERVERPB_COMPACTION_RESPONSE "etcdserverpb.CompactionResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_HASH_REQUEST "etcdserverpb.HashRequest":
        ETCDSERVERPB_HASH_KVREQUEST "etcdserverpb.HashKVRequest": 1 "revision" Int64;
        ETCDSERVERPB_HASH_KVRESPONSE "etcdserverpb.HashKVResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "hash" Uint32; 3 "compact_revision" Int64;
            4 "hash_revision" Int64;
        ETCDSERVERPB_HASH_RESPONSE "etcdserverpb.HashResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "hash" Uint32;
        ETCDSERVERPB_SNAPSHOT_REQUEST "etcdserverpb.SnapshotRequest":
        ETCDSERVERPB_SNAPSHOT_RESPONSE "etcdserverpb.SnapshotResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "remaining_bytes" Uint64; 3 "blob" Bytes;
            4 "version" Str;
        ETCDSERVERPB_WATCH_REQUEST "etcdserverpb.WatchRequest": 1 "create_request" Msg(&ETCDSERVERPB_WATCH_CREATE_REQUEST);
            2 "cancel_request" Msg(&ETCDSERVERPB_WATCH_CANCEL_REQUEST);
            3 "progress_request" Msg(&ETCDSERVERPB_WATCH_PROGRESS_REQUEST);
        ETCDSERVERPB_WATCH_CREATE_REQUEST "etcdserverpb.WatchCreateRequest": 1 "key" Bytes; 2 "range_end" Bytes; 3 "start_revision" Int64; 4 "progress_notify" Bool;
            5 "filters" Enum(ETCDSERVERPB_WATCH_CREATE_REQUEST_FILTER_TYPE); 6 "prev_kv" Bool;
            7 "watch_id" Int64; 8 "fragment" Bool;
        ETCDSERVERPB_WATCH_CANCEL_REQUEST "etcdserverpb.WatchCancelRequest": 1 "watch_id" Int64;
        ETCDSERVERPB_WATCH_PROGRESS_REQUEST "etcdserverpb.WatchProgressRequest":
        ETCDSERVERPB_WATCH_RESPONSE "etcdserverpb.WatchResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "watch_id" Int64; 3 "created" Bool;
            4 "canceled" Bool; 5 "compact_revision" Int64; 6 "cancel_reason" Str; 7 "fragment" Bool;
            11 "events" Msg(&MVCCPB_EVENT);
        ETCDSERVERPB_LEASE_GRANT_REQUEST "etcdserverpb.LeaseGrantRequest": 1 "TTL" Int64; 2 "ID" Int64;
        ETCDSERVERPB_LEASE_GRANT_RESPONSE "etcdserverpb.LeaseGrantResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "ID" Int64; 3 "TTL" Int64; 4 "error" Str;
        ETCDSERVERPB_LEASE_REVOKE_REQUEST "etcdserverpb.LeaseRevokeRequest": 1 "ID" Int64;
        ETCDSERVERPB_LEASE_REVOKE_RESPONSE "etcdserverpb.LeaseRevokeResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_LEASE_CHECKPOINT "etcdserverpb.LeaseCheckpoint": 1 "ID" Int64; 2 "remaining_TTL" Int64;
        ETCDSERVERPB_LEASE_CHECKPOINT_REQUEST "etcdserverpb.LeaseCheckpointRequest": 1 "checkpoints" Msg(&ETCDSERVERPB_LEASE_CHECKPOINT);
        ETCDSERVERPB_LEASE_CHECKPOINT_RESPONSE "etcdserverpb.LeaseCheckpointResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_LEASE_KEEP_ALIVE_REQUEST "etcdserverpb.LeaseKeepAliveRequest": 1 "ID" Int64;
        ETCDSERVERPB_LEASE_KEEP_ALIVE_RESPONSE "etcdserverpb.LeaseKeepAliveResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "ID" Int64; 3 "TTL" Int64;
        ETCDSERVERPB_LEASE_TIME_TO_LIVE_REQUEST "etcdserverpb.LeaseTimeToLiveRequest": 1 "ID" Int64; 2 "keys" Bool;
        ETCDSERVERPB_LEASE_TIME_TO_LIVE_RESPONSE "etcdserverpb.LeaseTimeToLiveResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "ID" Int64; 3 "TTL" Int64; 4 "grantedTTL" Int64;
            5 "keys" Bytes;
        ETCDSERVERPB_LEASE_LEASES_REQUEST "etcdserverpb.LeaseLeasesRequest":
        ETCDSERVERPB_LEASE_STATUS "etcdserverpb.LeaseStatus": 1 "ID" Int64;
        ETCDSERVERPB_LEASE_LEASES_RESPONSE "etcdserverpb.LeaseLeasesResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "leases" Msg(&ETCDSERVERPB_LEASE_STATUS);
        ETCDSERVERPB_MEMBER "etcdserverpb.Member": 1 "ID" Uint64; 2 "name" Str; 3 "peerURLs" Str; 4 "clientURLs" Str; 5 "isLearner" Bool;
        ETCDSERVERPB_MEMBER_ADD_REQUEST "etcdserverpb.MemberAddRequest": 1 "peerURLs" Str; 2 "isLearner" Bool;
        ETCDSERVERPB_MEMBER_ADD_RESPONSE "etcdserverpb.MemberAddResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "member" Msg(&ETCDSERVERPB_MEMBER);
            3 "members" Msg(&ETCDSERVERPB_MEMBER);
        ETCDSERVERPB_MEMBER_REMOVE_REQUEST "etcdserverpb.MemberRemoveRequest": 1 "ID" Uint64;
        ETCDSERVERPB_MEMBER_REMOVE_RESPONSE "etcdserverpb.MemberRemoveResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "members" Msg(&ETCDSERVERPB_MEMBER);
        ETCDSERVERPB_MEMBER_UPDATE_REQUEST "etcdserverpb.MemberUpdateRequest": 1 "ID" Uint64; 2 "peerURLs" Str;
        ETCDSERVERPB_MEMBER_UPDATE_RESPONSE "etcdserverpb.MemberUpdateResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "members" Msg(&ETCDSERVERPB_MEMBER);
        ETCDSERVERPB_MEMBER_LIST_REQUEST "etcdserverpb.MemberListRequest": 1 "linearizable" Bool;
        ETCDSERVERPB_MEMBER_LIST_RESPONSE "etcdserverpb.MemberListResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "members" Msg(&ETCDSERVERPB_MEMBER);
        ETCDSERVERPB_MEMBER_PROMOTE_REQUEST "etcdserverpb.MemberPromoteRequest": 1 "ID" Uint64;
        ETCDSERVERPB_MEMBER_PROMOTE_RESPONSE "etcdserverpb.MemberPromoteResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "members" Msg(&ETCDSERVERPB_MEMBER);
        ETCDSERVERPB_DEFRAGMENT_REQUEST "etcdserverpb.DefragmentRequest":
        ETCDSERVERPB_DEFRAGMENT_RESPONSE "etcdserverpb.DefragmentResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_MOVE_LEADER_REQUEST "etcdserverpb.MoveLeaderRequest": 1 "targetID" Uint64;
        ETCDSERVERPB_MOVE_LEADER_RESPONSE "etcdserverpb.MoveLeaderResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_ALARM_REQUEST "etcdserverpb.AlarmRequest": 1 "action" Enum(ETCDSERVERPB_ALARM_REQUEST_ALARM_ACTION); 2 "memberID" Uint64;
            3 "alarm" Enum(ETCDSERVERPB_ALARM_TYPE);
        ETCDSERVERPB_ALARM_MEMBER "etcdserverpb.AlarmMember": 1 "memberID" Uint64; 2 "alarm" Enum(ETCDSERVERPB_ALARM_TYPE);
        ETCDSERVERPB_ALARM_RESPONSE "etcdserverpb.AlarmResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "alarms" Msg(&ETCDSERVERPB_ALARM_MEMBER);
        ETCDSERVERPB_DOWNGRADE_REQUEST "etcdserverpb.DowngradeRequest": 1 "action" Enum(ETCDSERVERPB_DOWNGRADE_REQUEST_DOWNGRADE_ACTION); 2 "version" Str;
        ETCDSERVERPB_DOWNGRADE_RESPONSE "etcdserverpb.DowngradeResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "version" Str;
        ETCDSERVERPB_DOWNGRADE_VERSION_TEST_REQUEST "etcdserverpb.DowngradeVersionTestRequest": 1 "ver" Str;
        ETCDSERVERPB_STATUS_REQUEST "etcdserverpb.StatusRequest":
        ETCDSERVERPB_STATUS_RESPONSE "etcdserverpb.StatusResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "version" Str; 3 "dbSize" Int64;
            4 "leader" Uint64; 5 "raftIndex" Uint64; 6 "raftTerm" Uint64; 7 "raftAppliedIndex" Uint64;
            8 "errors" Str; 9 "dbSizeInUse" Int64; 10 "isLearner" Bool; 11 "storageVersion" Str;
            12 "dbSizeQuota" Int64; 13 "downgradeInfo" Msg(&ETCDSERVERPB_DOWNGRADE_INFO);
        ETCDSERVERPB_DOWNGRADE_INFO "etcdserverpb.DowngradeInfo": 1 "enabled" Bool; 2 "targetVersion" Str;
        ETCDSERVERPB_AUTH_ENABLE_REQUEST "etcdserverpb.AuthEnableRequest":
        ETCDSERVERPB_AUTH_DISABLE_REQUEST "etcdserverpb.AuthDisableRequest":
        ETCDSERVERPB_AUTH_STATUS_REQUEST "etcdserverpb.AuthStatusRequest":
        ETCDSERVERPB_AUTHENTICATE_REQUEST "etcdserverpb.AuthenticateRequest": 1 "name" Str; 2 "password" Str;
        ETCDSERVERPB_AUTH_USER_ADD_REQUEST "etcdserverpb.AuthUserAddRequest": 1 "name" Str; 2 "password" Str; 3 "options" Msg(&AUTHPB_USER_ADD_OPTIONS); 4 "hashedPassword" Str;
        ETCDSERVERPB_AUTH_USER_GET_REQUEST "etcdserverpb.AuthUserGetRequest": 1 "name" Str;
        ETCDSERVERPB_AUTH_USER_DELETE_REQUEST "etcdserverpb.AuthUserDeleteRequest": 1 "name" Str;
        ETCDSERVERPB_AUTH_USER_CHANGE_PASSWORD_REQUEST "etcdserverpb.AuthUserChangePasswordRequest": 1 "name" Str; 2 "password" Str; 3 "hashedPassword" Str;
        ETCDSERVERPB_AUTH_USER_GRANT_ROLE_REQUEST "etcdserverpb.AuthUserGrantRoleRequest": 1 "user" Str; 2 "role" Str;
        ETCDSERVERPB_AUTH_USER_REVOKE_ROLE_REQUEST "etcdserverpb.AuthUserRevokeRoleRequest": 1 "name" Str; 2 "role" Str;
        ETCDSERVERPB_AUTH_ROLE_ADD_REQUEST "etcdserverpb.AuthRoleAddRequest": 1 "name" Str;
        ETCDSERVERPB_AUTH_ROLE_GET_REQUEST "etcdserverpb.AuthRoleGetRequest": 1 "role" Str;
        ETCDSERVERPB_AUTH_USER_LIST_REQUEST "etcdserverpb.AuthUserListRequest":
        ETCDSERVERPB_AUTH_ROLE_LIST_REQUEST "etcdserverpb.AuthRoleListRequest":
        ETCDSERVERPB_AUTH_ROLE_DELETE_REQUEST "etcdserverpb.AuthRoleDeleteRequest": 1 "role" Str;
        ETCDSERVERPB_AUTH_ROLE_GRANT_PERMISSION_REQUEST "etcdserverpb.AuthRoleGrantPermissionRequest": 1 "name" Str; 2 "perm" Msg(&AUTHPB_PERMISSION);
        ETCDSERVERPB_AUTH_ROLE_REVOKE_PERMISSION_REQUEST "etcdserverpb.AuthRoleRevokePermissionRequest": 1 "role" Str; 2 "key" Bytes; 3 "range_end" Bytes;
        ETCDSERVERPB_AUTH_ENABLE_RESPONSE "etcdserverpb.AuthEnableResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_DISABLE_RESPONSE "etcdserverpb.AuthDisableResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_STATUS_RESPONSE "etcdserverpb.AuthStatusResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "enabled" Bool; 3 "authRevision" Uint64;
        ETCDSERVERPB_AUTHENTICATE_RESPONSE "etcdserverpb.AuthenticateResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "token" Str;
        ETCDSERVERPB_AUTH_USER_ADD_RESPONSE "etcdserverpb.AuthUserAddResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_USER_GET_RESPONSE "etcdserverpb.AuthUserGetResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "roles" Str;
        ETCDSERVERPB_AUTH_USER_DELETE_RESPONSE "etcdserverpb.AuthUserDeleteResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_USER_CHANGE_PASSWORD_RESPONSE "etcdserverpb.AuthUserChangePasswordResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_USER_GRANT_ROLE_RESPONSE "etcdserverpb.AuthUserGrantRoleResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_USER_REVOKE_ROLE_RESPONSE "etcdserverpb.AuthUserRevokeRoleResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_ROLE_ADD_RESPONSE "etcdserverpb.AuthRoleAddResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_ROLE_GET_RESPONSE "etcdserverpb.AuthRoleGetResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "perm" Msg(&AUTHPB_PERMISSION);
        ETCDSERVERPB_AUTH_ROLE_LIST_RESPONSE "etcdserverpb.AuthRoleListResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "roles" Str;
        ETCDSERVERPB_AUTH_USER_LIST_RESPONSE "etcdserverpb.AuthUserListResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER); 2 "users" Str;
        ETCDSERVERPB_AUTH_ROLE_DELETE_RESPONSE "etcdserverpb.AuthRoleDeleteResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_ROLE_GRANT_PERMISSION_RESPONSE "etcdserverpb.AuthRoleGrantPermissionResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_AUTH_ROLE_REVOKE_PERMISSION_RESPONSE "etcdserverpb.AuthRoleRevokePermissionResponse": 1 "header" Msg(&ETCDSERVERPB_RESPONSE_HEADER);
        ETCDSERVERPB_REQUEST_HEADER "etcdserverpb.RequestHeader": 1 "ID" Uint64; 2 "username" Str; 3 "auth_revision" Uint64;
        ETCDSERVERPB_INTERNAL_RAFT_REQUEST "etcdserverpb.InternalRaftRequest": 1 "ID" Uint64; 3 "range" Msg(&ETCDSERVERPB_RANGE_REQUEST); 4 "put" Msg(&ETCDSERVERPB_PUT_REQUEST);
            5 "delete_range" Msg(&ETCDSERVERPB_DELETE_RANGE_REQUEST); 6 "txn" Msg(&ETCDSERVERPB_TXN_REQUEST);
            7 "compaction" Msg(&ETCDSERVERPB_COMPACTION_REQUEST);
            8 "lease_grant" Msg(&ETCDSERVERPB_LEASE_GRANT_REQUEST);
            9 "lease_revoke" Msg(&ETCDSERVERPB_LEASE_REVOKE_REQUEST);
            10 "alarm" Msg(&ETCDSERVERPB_ALARM_REQUEST);
            11 "lease_checkpoint" Msg(&ETCDSERVERPB_LEASE_CHECKPOINT_REQUEST);
            100 "header" Msg(&ETCDSERVERPB_REQUEST_HEADER);
            1000 "auth_enable" Msg(&ETCDSERVERPB_AUTH_ENABLE_REQUEST);
            1011 "auth_disable" Msg(&ETCDSERVERPB_AUTH_DISABLE_REQUEST);
            1012 "authenticate" Msg(&ETCDSERVERPB_INTERNAL_AUTHENTICATE_REQUEST);
            1013 "auth_status" Msg(&ETCDSERVERPB_AUTH_STATUS_REQUEST);
            1100 "auth_user_add" Msg(&ETCDSERVERPB_AUTH_USER_ADD_REQUEST);
            1101 "auth_user_delete" Msg(&ETCDSERVERPB_AUTH_USER_DELETE_REQUEST);
            1102 "auth_user_get" Msg(&ETCDSERVERPB_AUTH_USER_GET_REQUEST);
            1103 "auth_user_change_password" Msg(&ETCDSERVERPB_AUTH_USER_CHANGE_PASSWORD_REQUEST);
            1104 "auth_user_grant_role" Msg(&ETCDSERVERPB_AUTH_USER_GRANT_ROLE_REQUEST);
            1105 "auth_user_revoke_role" Msg(&ETCDSERVERPB_AUTH_USER_REVOKE_ROLE_REQUEST);
            1106 "auth_user_list" Msg(&ETCDSERVERPB_AUTH_USER_LIST_REQUEST);
            1107 "auth_role_list" Msg(&ETCDSERVERPB_AUTH_ROLE_LIST_REQUEST);
            1200 "auth_role_add" Msg(&ETCDSERVERPB_AUTH_ROLE_ADD_REQUEST);
            1201 "auth_role_delete" Msg(&ETCDSERVERPB_AUTH_ROLE_DELETE_REQUEST);
            1202 "auth_role_get" Msg(&ETCDSERVERPB_AUTH_ROLE_GET_REQUEST);
            1203 "auth_role_grant_permission" Msg(&ETCDSERVERPB_AUTH_ROLE_GRANT_PERMISSION_REQUEST);
            1204 "auth_role_revoke_permission" Msg(&ETCDSERVERPB_AUTH_ROLE_REVOKE_PERMISSION_REQUEST);
            1300 "cluster_version_set" Msg(&MEMBERSHIPPB_CLUSTER_VERSION_SET_REQUEST);
            1301 "cluster_member_attr_set" Msg(&MEMBERSHIPPB_CLUSTER_MEMBER_ATTR_SET_REQUEST);
            1302 "downgrade_info_set" Msg(&MEMBERSHIPPB_DOWNGRADE_INFO_SET_REQUEST);
            9900 "downgrade_version_test" Msg(&ETCDSERVERPB_DOWNGRADE_VERSION_TEST_REQUEST);
        ETCDSERVERPB_EMPTY_RESPONSE "etcdserverpb.EmptyResponse":
        ETCDSERVERPB_INTERNAL_AUTHENTICATE_REQUEST "etcdserverpb.InternalAuthenticateRequest": 1 "name" Str; 2 "password" Str; 3 "simple_token" Str;
        ETCDSERVERPB_METADATA "etcdserverpb.Metadata": 1 "NodeID" Uint64; 2 "ClusterID" Uint64;
        MVCCPB_KEY_VALUE "mvccpb.KeyValue": 1 "key" Bytes; 2 "create_revision" Int64; 3 "mod_revision" Int64; 4 "version" Int64;
            5 "value" Bytes; 6 "lease" Int64;
        MVCCPB_EVENT "mvccpb.Event": 1 "type" Enum(MVCCPB_EVENT_EVENT_TYPE); 2 "kv" Msg(&MVCCPB_KEY_VALUE);
            3 "prev_kv" Msg(&MVCCPB_KEY_VALUE);
        AUTHPB_USER_ADD_OPTIONS "authpb.UserAddOptions": 1 "no_password" Bool;
        AUTHPB_USER "authpb.User": 1 "name" Bytes; 2 "password" Bytes; 3 "roles" Str; 4 "options" Msg(&AUTHPB_USER_ADD_OPTIONS);
        AUTHPB_PERMISSION "authpb.Permission": 1 "permType" Enum(AUTHPB_PERMISSION_TYPE); 2 "key" Bytes; 3 "range_end" Bytes;
        AUTHPB_ROLE "authpb.Role": 1 "name" Bytes; 2 "keyPermission" Msg(&AUTHPB_PERMISSION);
        MEMBERSHIPPB_RAFT_ATTRIBUTES "membershippb.RaftAttributes": 1 "peer_urls" Str; 2 "is_learner" Bool;
        MEMBERSHIPPB_ATTRIBUTES "membershippb.Attributes": 1 "name" Str; 2 "client_urls" Str;
        MEMBERSHIPPB_MEMBER "membershippb.Member": 1 "ID" Uint64; 2 "raft_attributes" Msg(&MEMBERSHIPPB_RAFT_ATTRIBUTES);
            3 "member_attributes" Msg(&MEMBERSHIPPB_ATTRIBUTES);
        MEMBERSHIPPB_CLUSTER_VERSION_SET_REQUEST "membershippb.ClusterVersionSetRequest": 1 "ver" Str;
        MEMBERSHIPPB_CLUSTER_MEMBER_ATTR_SET_REQUEST "membershippb.ClusterMemberAttrSetRequest": 1 "member_ID" Uint64; 2 "member_attributes" Msg(&MEMBERSHIPPB_ATTRIBUTES);
        MEMBERSHIPPB_DOWNGRADE_INFO_SET_REQUEST "membershippb.DowngradeInfoSetRequest": 1 "enabled" Bool; 2 "ver" Str;
        LEASEPB_LEASE "leasepb.Lease": 1 "ID" Int64; 2 "TTL" Int64; 3 "RemainingTTL" Int64;
        LEASEPB_LEASE_INTERNAL_REQUEST "leasepb.LeaseInternalRequest": 1 "LeaseTimeToLiveRequest" Msg(&ETCDSERVERPB_LEASE_TIME_TO_LIVE_REQUEST);
        LEASEPB_LEASE_INTERNAL_RESPONSE "leasepb.LeaseInternalResponse": 1 "LeaseTimeToLiveResponse" Msg(&ETCDSERVERPB_LEASE_TIME_TO_LIVE_RESPONSE);
        WALPB_RECORD "walpb.Record": 1 "type" Int64; 2 "crc" Uint32; 3 "data" Bytes;
        WALPB_SNAPSHOT "walpb.Snapshot": 1 "index" Uint64; 2 "term" Uint64; 3 "conf_state" Msg(&RAFTPB_CONF_STATE);
        RAFTPB_ENTRY "raftpb.Entry": 1 "Type" Enum(RAFTPB_ENTRY_TYPE); 2 "Term" Uint64; 3 "Index" Uint64; 4 "Data" Bytes;
        RAFTPB_SNAPSHOT_METADATA "raftpb.SnapshotMetadata": 1 "conf_state" Msg(&RAFTPB_CONF_STATE); 2 "index" Uint64; 3 "term" Uint64;
        RAFTPB_SNAPSHOT "raftpb.Snapshot": 1 "data" Bytes; 2 "metadata" Msg(&RAFTPB_SNAPSHOT_METADATA);
        RAFTPB_MESSAGE "raftpb.Message": 1 "type" Enum(RAFTPB_MESSAGE_TYPE); 2 "to" Uint64; 3 "from" Uint64; 4 "term" Uint64;
            5 "logTerm" Uint64; 6 "index" Uint64; 7 "entries" Msg(&RAFTPB_ENTRY); 8 "commit" Uint64;
            9 "snapshot" Msg(&RAFTPB_SNAPSHOT); 10 "reject" Bool; 11 "rejectHint" Uint64; 12 "context" Bytes;
            13 "vote" Uint64; 14 "responses" Msg(&RAFTPB_MESSAGE);
        RAFTPB_HARD_STATE "raftpb.HardState": 1 "term" Uint64; 2 "vote" Uint64; 3 "commit" Uint64;
        RAFTPB_CONF_STATE "raftpb.ConfState": 1 "voters" Uint64; 2 "learners" Uint64; 3 "voters_outgoing" Uint64; 4 "learners_next" Uint64;
            5 "auto_leave" Bool;
        RAFTPB_CONF_CHANGE "raftpb.ConfChange": 1 "id" Uint64; 2 "type" Enum(RAFTPB_CONF_CHANGE_TYPE); 3 "node_id" Uint64; 4 "context" Bytes;
        RAFTPB_CONF_CHANGE_SINGLE "raftpb.ConfChangeSingle": 1 "type" Enum(RAFTPB_CONF_CHANGE_TYPE); 2 "node_id" Uint64;
        RAFTPB_CONF_CHANGE_V2 "raftpb.ConfChangeV2": 1 "transition" Enum(RAFTPB_CONF_CHANGE_TRANSITION); 2 "changes" Msg(&RAFTPB_CONF_CHANGE_SINGLE);
            3 "context" Bytes;
    }
}

//! Every error etcd's API answers with: its gRPC code and its text (etcd `api/v3rpc/rpctypes/error.go`).

use super::{Code, Error};

macro_rules! catalogue {
    ($($name:ident $code:ident $text:literal;)*) => {
        $(
            #[doc = concat!("`", $text, "`")]
            pub const $name: Error = Error { code: Code::$code, text: $text };
        )*
        /// Every error above.
        pub static ALL: &[Error] = &[$($name),*];
    };
}

catalogue! {
    EMPTY_KEY InvalidArgument "etcdserver: key is not provided";
    KEY_NOT_FOUND InvalidArgument "etcdserver: key not found";
    VALUE_PROVIDED InvalidArgument "etcdserver: value is provided";
    LEASE_PROVIDED InvalidArgument "etcdserver: lease is provided";
    TOO_MANY_OPS InvalidArgument "etcdserver: too many operations in txn request";
    DUPLICATE_KEY InvalidArgument "etcdserver: duplicate key given in txn request";
    INVALID_CLIENT_API_VERSION InvalidArgument "etcdserver: invalid client api version";
    INVALID_SORT_OPTION InvalidArgument "etcdserver: invalid sort option";
    COMPACTED OutOfRange "etcdserver: mvcc: required revision has been compacted";
    FUTURE_REV OutOfRange "etcdserver: mvcc: required revision is a future revision";
    NO_SPACE ResourceExhausted "etcdserver: mvcc: database space exceeded";
    LEASE_NOT_FOUND NotFound "etcdserver: requested lease not found";
    LEASE_EXIST FailedPrecondition "etcdserver: lease already exists";
    LEASE_TTL_TOO_LARGE OutOfRange "etcdserver: too large lease TTL";
    WATCH_CANCELED Canceled "etcdserver: watch canceled";
    MEMBER_EXIST FailedPrecondition "etcdserver: member ID already exist";
    PEER_URL_EXIST FailedPrecondition "etcdserver: Peer URLs already exists";
    MEMBER_NOT_ENOUGH_STARTED FailedPrecondition "etcdserver: re-configuration failed due to not enough started members";
    MEMBER_BAD_URLS InvalidArgument "etcdserver: given member URLs are invalid";
    MEMBER_NOT_FOUND NotFound "etcdserver: member not found";
    MEMBER_NOT_LEARNER FailedPrecondition "etcdserver: can only promote a learner member";
    LEARNER_NOT_READY FailedPrecondition "etcdserver: can only promote a learner member which is in sync with leader";
    TOO_MANY_LEARNERS FailedPrecondition "etcdserver: too many learner members in cluster";
    CLUSTER_ID_MISMATCH FailedPrecondition "etcdserver: cluster ID mismatch";
    REQUEST_TOO_LARGE InvalidArgument "etcdserver: request is too large";
    REQUEST_TOO_MANY_REQUESTS ResourceExhausted "etcdserver: too many requests";
    ROOT_USER_NOT_EXIST FailedPrecondition "etcdserver: root user does not exist";
    ROOT_ROLE_NOT_EXIST FailedPrecondition "etcdserver: root user does not have root role";
    USER_ALREADY_EXIST FailedPrecondition "etcdserver: user name already exists";
    USER_EMPTY InvalidArgument "etcdserver: user name is empty";
    USER_NOT_FOUND FailedPrecondition "etcdserver: user name not found";
    ROLE_ALREADY_EXIST FailedPrecondition "etcdserver: role name already exists";
    ROLE_NOT_FOUND FailedPrecondition "etcdserver: role name not found";
    ROLE_EMPTY InvalidArgument "etcdserver: role name is empty";
    AUTH_FAILED InvalidArgument "etcdserver: authentication failed, invalid user ID or password";
    PERMISSION_NOT_GIVEN InvalidArgument "etcdserver: permission not given";
    PERMISSION_DENIED PermissionDenied "etcdserver: permission denied";
    ROLE_NOT_GRANTED FailedPrecondition "etcdserver: role is not granted to the user";
    PERMISSION_NOT_GRANTED FailedPrecondition "etcdserver: permission is not granted to the role";
    AUTH_NOT_ENABLED FailedPrecondition "etcdserver: authentication is not enabled";
    INVALID_AUTH_TOKEN Unauthenticated "etcdserver: invalid auth token";
    INVALID_AUTH_MGMT InvalidArgument "etcdserver: invalid auth management";
    AUTH_OLD_REVISION InvalidArgument "etcdserver: revision of auth store is old";
    NO_LEADER Unavailable "etcdserver: no leader";
    NOT_LEADER FailedPrecondition "etcdserver: not leader";
    LEADER_CHANGED Unavailable "etcdserver: leader changed";
    NOT_CAPABLE FailedPrecondition "etcdserver: not capable";
    STOPPED Unavailable "etcdserver: server stopped";
    TIMEOUT Unavailable "etcdserver: request timed out";
    TIMEOUT_DUE_TO_LEADER_FAIL Unavailable "etcdserver: request timed out, possibly due to previous leader failure";
    TIMEOUT_DUE_TO_CONNECTION_LOST Unavailable "etcdserver: request timed out, possibly due to connection lost";
    TIMEOUT_WAIT_APPLIED_INDEX Unavailable "etcdserver: request timed out, waiting for the applied index took too long";
    UNHEALTHY Unavailable "etcdserver: unhealthy cluster";
    CORRUPT DataLoss "etcdserver: corrupt cluster";
    NOT_SUPPORTED_FOR_LEARNER FailedPrecondition "etcdserver: rpc not supported for learner";
    BAD_LEADER_TRANSFEREE FailedPrecondition "etcdserver: bad leader transferee";
    WRONG_DOWNGRADE_VERSION_FORMAT InvalidArgument "etcdserver: wrong downgrade target version format";
    INVALID_DOWNGRADE_TARGET_VERSION InvalidArgument "etcdserver: invalid downgrade target version";
    CLUSTER_VERSION_UNAVAILABLE FailedPrecondition "etcdserver: cluster version not found during downgrade";
    DOWNGRADE_IN_PROCESS FailedPrecondition "etcdserver: cluster has a downgrade job in progress";
    NO_INFLIGHT_DOWNGRADE FailedPrecondition "etcdserver: no inflight downgrade job";
    CANCELED Canceled "etcdserver: request canceled";
    DEADLINE_EXCEEDED DeadlineExceeded "etcdserver: context deadline exceeded";
}

//! Service Cluster. Changing the membership is not modelled here.

use crate::member::Member;
use std::rc::Rc;
use wire::etcdserverpb::{MemberListRequest, MemberListResponse};
use wire::rpc::Status;

pub(super) async fn member_list(m: &Rc<Member>, r: MemberListRequest) -> Result<MemberListResponse, Status> {
    if r.linearizable {
        m.linearizable_read().await?;
    }
    // Headers of this service have no revision.
    Ok(MemberListResponse { header: Some(m.member_header()), members: m.membership.borrow().list() })
}

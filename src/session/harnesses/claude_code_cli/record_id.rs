//! The ids of records, prompts and messages, in the form in which every record has them.

use uuid::Uuid;

/// A uuid as a JSON string. Each id stands in several records, but is put into words once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordId([u8; 38]);

impl RecordId {
    /// Returns the JSON string, quotes included.
    pub(super) fn as_json(&self) -> &[u8; 38] {
        &self.0
    }
}

impl From<Uuid> for RecordId {
    fn from(uuid: Uuid) -> Self {
        let mut json = [b'"'; 38];
        if let Some(inner) = json.get_mut(1..37) {
            uuid.hyphenated().encode_lower(inner);
        }
        Self(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_hyphenated_uuid_in_quotes() {
        let id = RecordId::from(Uuid::from_u128(0x1234_5678_9abc_4def_8123_4567_89ab_cdef));
        assert_eq!(id.as_json(), b"\"12345678-9abc-4def-8123-456789abcdef\"");
    }
}

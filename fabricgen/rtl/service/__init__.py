"""The Local Memory Service: requesters, bank arbitration, storage."""

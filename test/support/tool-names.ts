/** The tools of a phone call with all three clients and no further settings, in their order. */
export const standardTools: readonly string[] = [
  'lookup_customer_invoices',
  'create_payment',
  'identify_caller',
  'get_caller_context',
  'add_note',
  'reply_to_customer',
  'qualify_lead',
  'log_call',
  'search_help_center',
  'list_recent_conversations',
];

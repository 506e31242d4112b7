/** A contact of 1.1 KB of JSON, as a messaging platform answers it. */
export const contact = {
  id: 'contact_63a07ddf05a32042dffac965',
  type: 'contact',
  role: 'user',
  external_id: 'customer-70',
  phone: '+14155550100',
  email: 'ada.byron@example.com',
  name: 'Ada Byron',
  avatar: 'https://static.example.com/avatars/63a07ddf05a32042dffac965/128.png',
  owner_id: 127,
  has_hard_bounced: false,
  marked_email_as_spam: false,
  unsubscribed_from_emails: false,
  created_at: 1_762_430_000,
  updated_at: 1_763_716_221,
  signed_up_at: 1_762_430_000,
  last_seen_at: 1_763_715_950,
  language_override: null,
  browser: 'chrome',
  browser_version: '141.0.0.0',
  os: 'Windows 11',
  location: { type: 'location', country: 'Ireland', region: 'Dublin', city: 'Dublin', country_code: 'IRL' },
  custom_attributes: {
    last_call_date: '2026-11-20',
    call_outcome_category: 'resolved',
    escalation_flag: false,
    satisfaction_signal: 4,
    plan: 'pro',
    seats: 12,
  },
  tags: { type: 'list', data: [{ type: 'tag', id: '12', name: 'voice' }], total_count: 1, has_more: false },
  notes: { type: 'list', data: [], total_count: 0, has_more: false },
  companies: {
    type: 'list',
    data: [{ type: 'company', id: '63a07ddf05a32042dffac111', name: 'Analytical Engines' }],
    total_count: 1,
    has_more: false,
  },
};

export const contactJson = JSON.stringify(contact);

/** What the payment in `newPayment` is answered with. */
export const paymentJson = JSON.stringify({
  id: 'pay_2041',
  status: 'completed',
  confirmation_number: 'CN-884213',
  amount: 129.5,
  customer_id: 'cus_70',
  invoice_id: 'inv_311',
});

export const customerJson = JSON.stringify({ id: 'cus_70', name: 'Ada Byron', phone: '+14155550100' });

/** Three open ones. */
export const invoicesJson = JSON.stringify({
  data: ['inv_311', 'inv_312', 'inv_313'].map((id, index) => ({
    id,
    customer_id: 'cus_70',
    status: 'open',
    amount: 129.5 + index,
    amount_due: 129.5 + index,
    due_date: `2030-01-1${index}`,
  })),
  total_count: 3,
});

export const newPayment = {
  customer_id: 'cus_70',
  invoice_id: 'inv_311',
  amount: 129.5,
  payment_method_id: 'pm_1',
};

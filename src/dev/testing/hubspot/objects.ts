/** The types of an object's properties. */
type Properties = Readonly<Record<string, 'text' | 'number' | 'date' | 'datetime' | readonly string[]>>;

const texts = (...names: readonly string[]): Properties => Object.fromEntries(names.map((name) => [name, 'text']));

const every: Properties = {
  ...texts('hubspot_owner_id', 'hs_object_id'),
  createdate: 'datetime',
  hs_createdate: 'datetime',
  lastmodifieddate: 'datetime',
  hs_lastmodifieddate: 'datetime',
};

const priorities = ['LOW', 'MEDIUM', 'HIGH', 'URGENT'];

/** The properties of HubSpot's own that a voice agent meets. Any other is refused, as in an account that lacks it. */
export const properties: Readonly<Record<string, Properties>> = {
  contacts: {
    ...every,
    ...texts('salutation', 'firstname', 'lastname', 'email', 'phone', 'mobilephone', 'jobtitle', 'message', 'company'),
    ...texts('website', 'industry', 'annualrevenue', 'address', 'city', 'state', 'zip', 'country', 'date_of_birth'),
    ...texts('hs_searchable_calculated_phone_number', 'hs_searchable_calculated_mobile_number', 'associatedcompanyid'),
    hs_email_optout: ['true', 'false'],
    lifecyclestage: [
      'subscriber',
      'lead',
      'marketingqualifiedlead',
      'salesqualifiedlead',
      'opportunity',
      'customer',
      'evangelist',
      'other',
    ],
    hs_lead_status: [
      'NEW',
      'OPEN',
      'IN_PROGRESS',
      'OPEN_DEAL',
      'UNQUALIFIED',
      'ATTEMPTED_TO_CONTACT',
      'CONNECTED',
      'BAD_TIMING',
    ],
  },
  companies: {
    ...every,
    ...texts(
      'name',
      'domain',
      'website',
      'phone',
      'industry',
      'type',
      'description',
      'address',
      'city',
      'state',
      'zip',
    ),
    ...texts('country', 'hs_searchable_calculated_phone_number'),
    numberofemployees: 'number',
    annualrevenue: 'number',
  },
  deals: {
    ...every,
    ...texts('dealname', 'dealstage', 'pipeline', 'dealtype', 'hs_next_step', 'description'),
    ...texts('hs_primary_associated_company'),
    hs_is_closed: ['true', 'false'],
    hs_is_closed_won: ['true', 'false'],
    amount: 'number',
    closedate: 'datetime',
  },
  tickets: {
    ...every,
    ...texts('subject', 'content', 'hs_pipeline', 'hs_pipeline_stage', 'hs_ticket_category'),
    hs_ticket_priority: priorities,
    source_type: ['CHAT', 'EMAIL', 'FORM', 'PHONE'],
    closed_date: 'datetime',
  },
  tasks: {
    ...every,
    ...texts('hs_task_subject', 'hs_task_body'),
    hs_task_status: ['NOT_STARTED', 'IN_PROGRESS', 'WAITING', 'DEFERRED', 'COMPLETED'],
    hs_task_priority: ['NONE', 'LOW', 'MEDIUM', 'HIGH'],
    hs_task_type: ['EMAIL', 'CALL', 'TODO'],
    hs_timestamp: 'datetime',
  },
  calls: {
    ...every,
    ...texts('hs_call_title', 'hs_call_body', 'hs_call_disposition', 'hs_call_external_id'),
    ...texts('hs_call_from_number', 'hs_call_to_number', 'hs_call_recording_url'),
    hs_call_direction: ['INBOUND', 'OUTBOUND'],
    hs_call_status: ['COMPLETED', 'BUSY', 'FAILED', 'NO_ANSWER', 'CANCELED', 'IN_PROGRESS', 'QUEUED', 'RINGING'],
    hs_call_duration: 'number',
    hs_timestamp: 'datetime',
  },
  meetings: {
    ...every,
    ...texts('hs_meeting_title', 'hs_meeting_body', 'hs_meeting_location'),
    hs_meeting_outcome: ['SCHEDULED', 'COMPLETED', 'RESCHEDULED', 'NO_SHOW', 'CANCELED'],
    hs_meeting_start_time: 'datetime',
    hs_meeting_end_time: 'datetime',
    hs_timestamp: 'datetime',
  },
  notes: { ...every, ...texts('hs_note_body', 'hs_attachment_ids'), hs_timestamp: 'datetime' },
};

/** The properties that HubSpot requires in a new record. */
export const required: Readonly<Record<string, readonly string[]>> = {
  deals: ['dealname', 'dealstage'],
  tickets: ['subject', 'hs_pipeline_stage'],
  tasks: ['hs_timestamp'],
  calls: ['hs_timestamp'],
  meetings: ['hs_timestamp'],
  notes: ['hs_timestamp'],
};

/** Computed by HubSpot, never written. */
export const readOnly: readonly string[] = [
  'createdate',
  'hs_createdate',
  'lastmodifieddate',
  'hs_lastmodifieddate',
  'hs_object_id',
  'hs_email_optout',
  'hs_is_closed',
  'hs_is_closed_won',
  'hs_primary_associated_company',
  'hs_searchable_calculated_phone_number',
  'hs_searchable_calculated_mobile_number',
];

/** HubSpot's own association types, by from and to. */
export const associationTypes: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  contacts: { companies: [1, 279], deals: [4], tickets: [15], contacts: [449] },
  companies: { contacts: [2, 280], deals: [6, 342], tickets: [25, 340] },
  deals: { contacts: [3], companies: [5, 341], tickets: [27] },
  tickets: { contacts: [16], companies: [26, 339], deals: [28] },
  calls: { contacts: [194], companies: [182], deals: [206], tickets: [220] },
  meetings: { contacts: [200], companies: [188], deals: [212], tickets: [226] },
  notes: { contacts: [202], companies: [190], deals: [214], tickets: [228] },
  tasks: { contacts: [204], companies: [192], deals: [216], tickets: [230] },
};

/** Without a problem: the value is one that the property may hold. */
export const isValid = (type: string, name: string, value: string | null): boolean => {
  const kind = properties[type]?.[name];
  if (value === null || value === '' || kind === undefined || kind === 'text') return true;
  if (typeof kind === 'object') return kind.includes(value);
  if (kind === 'number') return Number.isFinite(Number(value));
  return !Number.isNaN(Date.parse(value)) || Number.isFinite(Number(value));
};

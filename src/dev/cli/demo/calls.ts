import type { RecordedCall } from './recorded-call.ts';
import billingQuestion from './calls/billing-question.json' with { type: 'json' };
import escalation from './calls/escalation.json' with { type: 'json' };
import newProspect from './calls/new-prospect.json' with { type: 'json' };
import twoInvoices from './calls/two-invoices.json' with { type: 'json' };
import { parseRecordedCall } from './recorded-call.ts';

/** The recorded calls that come with the package, by name. */
const calls: Readonly<Record<string, unknown>> = {
  'billing-question': billingQuestion,
  'two-invoices': twoInvoices,
  'new-prospect': newProspect,
  escalation,
};

export const callNames: readonly string[] = Object.keys(calls);

/** `undefined` for a name that isn't one of {@link callNames}. */
export const bundledCall = (name: string): RecordedCall | undefined =>
  Object.hasOwn(calls, name) ? parseRecordedCall(name, calls[name]) : undefined;

/** A customer to call with, who is known in every system and owes two invoices. */
export const sampleRecords = (): RecordedCall['before'] =>
  parseRecordedCall('billing-question', billingQuestion).before;

import { maskCardNumbers, maskCardNumbersInLists } from '../../observability/redaction/card-numbers.ts';

/**
 * Masks card numbers in every text of a record, custom fields and custom attributes included.
 * Ids, phone numbers and addresses stay as they are: a mask would make them another's.
 */
export const maskFields = <Fields extends object>(fields: Fields): Fields =>
  // Texts stay texts, and nothing else is changed.
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, maskValue(name, value)])) as Fields;

const maskValue = (name: string, value: unknown): unknown => {
  if (typeof value === 'string') return reference.test(name) ? value : maskCardNumbers(value);
  if (Array.isArray(value)) return maskCardNumbersInLists(value, (field) => reference.test(field));
  return name === 'custom_attributes' && typeof value === 'object' && value !== null ? maskFields(value) : value;
};

/** `WhoId`, `Order_Id__c`, `external_id`, `SuppliedPhone`, `Email`, and the like. */
const reference = /(?:Id|_id|phone|email)(?:__c)?$/i;

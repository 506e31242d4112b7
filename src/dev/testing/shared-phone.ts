import type { FakePlatform } from './platform.ts';

/** The ids of the two people in each system. */
export interface SharedPhone {
  readonly contacts: readonly [string, string];
  readonly crmContacts: readonly [string, string];
  readonly leads: readonly [string, string];
  readonly customers: readonly [string, string];
}

/**
 * Adds two people with one phone number to all three systems. They are contacts in messaging, contacts and open leads in
 * the CRM, and customers in billing.
 *
 * @example
 * const { customers } = addSharedPhone(platform, '+14155550100');
 * platform.billing.addInvoice({ customer_id: customers[0], amount: 120.5 });
 */
export const addSharedPhone = ({ messaging, crm, billing }: FakePlatform, phone: string): SharedPhone => {
  const forBoth = (add: (name: string, email: string) => string) =>
    [add('Ada', 'ada@example.com'), add('Bo', 'bo@example.com')] as const;
  return {
    contacts: forBoth((name, email) => messaging.addContact({ name, email, phone }).id),
    crmContacts: forBoth(
      (name, Email) => crm.addContact({ FirstName: name, LastName: 'Park', Email, Phone: phone }).Id,
    ),
    leads: forBoth(
      (name, Email) => crm.addLead({ FirstName: name, LastName: 'Park', Company: 'Park Ltd', Email, Phone: phone }).Id,
    ),
    customers: forBoth((name, email) => billing.addCustomer({ name, email, phone }).id),
  };
};

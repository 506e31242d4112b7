import type { FakePlatform } from '../../testing/index.ts';

/** A person to call: known in every system, with two open invoices. */
export const addSampleRecords = ({ messaging, crm, billing }: FakePlatform): void => {
  const person = { phone: '+14155550100', email: 'ada@northwind.example' };
  messaging.addCompany({
    id: 'company_northwind',
    name: 'Northwind Bakery',
    plan: 'Growth',
    monthly_spend: 480,
    custom_attributes: { account_manager: 'Jo Lindt', health_score: 'good' },
  });
  messaging.addContact({ id: 'contact_ada', name: 'Ada Park', ...person, company_ids: ['company_northwind'] });
  messaging.addTeam({ id: 'team_support', name: 'Support' });
  messaging.addTag({ id: 'tag_billing', name: 'billing' });
  crm.addContact({ FirstName: 'Ada', LastName: 'Park', Phone: person.phone, Email: person.email });
  billing.addCustomer({ id: 'cus_ada', name: 'Ada Park', ...person });
  billing.addInvoice({ id: 'inv_101', customer_id: 'cus_ada', amount: 120.5, due_date: '2026-02-28' });
  billing.addInvoice({ id: 'inv_102', customer_id: 'cus_ada', amount: 80, due_date: '2026-03-31' });
};

import type { ApiClient } from '../../src/index.ts';
import { billingFrom, type OwnBilling, type OwnPayment } from '../../src/billing/index.ts';

interface Charge {
  readonly body: { readonly invoice_id: string; readonly amount: number };
}

/** A client with one endpoint, which pays. */
type PayClient = ApiClient<{}> & { readonly pay: (charge: Charge) => Promise<{ readonly status: string }> };

const endOf = ({ status }: { readonly status: string }): OwnPayment => ({
  status: status === 'completed' || status === 'declined' ? status : 'pending',
});

/** Functions over it as applications write them: well, and with three mistakes. `open` is what everyone owes. */
export const ownPay = <Client extends PayClient>(
  keyed: Client,
  {
    keyless,
    open,
    charge,
  }: {
    readonly keyless: Client;
    readonly open: () => readonly { id: string; amount: number }[];
    /** Charges without a client. */
    readonly charge: (body: Charge['body']) => Promise<{ readonly status: string }>;
  },
): Readonly<Record<'keyed' | 'keyless' | 'swallows' | 'bypasses', OwnBilling>> => {
  const from = (client: Client, pay: (body: Charge['body'], api: Client) => Promise<{ readonly status: string }>) =>
    billingFrom(client, {
      currency: 'EUR',
      findByPhone: async (phone) => [{ id: 'c', phone }],
      listOpen: async () => open(),
      pay: async ({ invoice_id, amount }, api) => endOf(await pay({ invoice_id, amount }, api)),
    });
  return {
    keyed: from(keyed, (body, api) => api.pay({ body })),
    keyless: from(keyless, (body, api) => api.pay({ body })),
    swallows: from(keyed, (body, api) => api.pay({ body }).catch(() => ({ status: 'declined' }))),
    bypasses: from(keyed, charge),
  };
};

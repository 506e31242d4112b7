/** The three systems of a backend on this machine, filled for one caller, and what a phone call has left in them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFakePlatform, type FakePlatform, testCredentials } from 'voice-agent-integrations/testing';

/** Ann Lee: known to all three systems, with one open invoice and a card on file. */
export const ann = { phone: '+14155550100', name: 'Ann Lee' };

export interface FakeSystems extends AsyncDisposable {
  readonly platform: FakePlatform;
  /** What a backend reads instead of production's. */
  readonly env: Readonly<Record<string, string>>;
  /** What the systems hold at this moment. */
  readonly written: () => Written;
  /**
   * Resolves when so many phone calls have left everything behind: it is written after the line is gone. One in which no
   * one spoke leaves no conversation.
   */
  readonly finished: (phoneCalls: number, conversations?: number) => Promise<Written>;
}

/** What matters of it. */
export interface Written {
  readonly payments: readonly { readonly invoice_id: string; readonly amount: number; readonly status: string }[];
  readonly conversations: readonly string[];
  /** What the customer can read. */
  readonly replies: readonly string[];
  readonly tasks: readonly { readonly subject: string; readonly description: string; readonly who: string }[];
}

export const startFakeSystems = async (): Promise<FakeSystems> => {
  const platform = createFakePlatform();
  const { messaging, crm, billing } = platform;
  messaging.addContact({ id: 'contact_ann', ...ann });
  crm.addContact({ Id: '003000000000001', LastName: 'Lee', Phone: ann.phone });
  // The fake billing API keeps any field; which one names the card differs from API to API.
  const customer = { id: 'cus_ann', ...ann, default_payment_method: 'pm_visa' };
  billing.addCustomer(customer);
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_ann', amount: 120.5, due_date: '2026-11-30' });
  const urls = await platform.listen();
  const folder = await mkdtemp(join(tmpdir(), 'backend-'));

  const written = (): Written => {
    const parts = messaging.conversations.flatMap((conversation) => conversation.parts);
    const bodies = (kind: string) => parts.flatMap(({ type, body }) => (type === kind ? [body ?? ''] : []));
    return {
      payments: billing.payments.map(({ invoice_id, amount, status }) => ({ invoice_id, amount, status })),
      conversations: messaging.conversations.map(({ body }) => body),
      replies: bodies('comment'),
      tasks: crm.tasks.map(({ Subject, Description, WhoId }) => ({
        subject: String(Subject),
        description: String(Description),
        who: String(WhoId),
      })),
    };
  };

  return {
    platform,
    env: {
      MESSAGING_BASE_URL: urls.messaging,
      MESSAGING_TOKEN: testCredentials.messaging,
      MESSAGING_ADMIN_ID: 'admin_1',
      CRM_BASE_URL: urls.crm,
      CRM_TOKEN: testCredentials.crm,
      BILLING_BASE_URL: urls.billing,
      BILLING_API_KEY: testCredentials.billing,
      CALLS_FILE: join(folder, 'calls.db'),
    },
    written,
    finished: async (phoneCalls, conversations = phoneCalls) => {
      for (;;) {
        const now = written();
        if (now.tasks.length >= phoneCalls && now.conversations.length >= conversations) return now;
        await wait(20);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await platform.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

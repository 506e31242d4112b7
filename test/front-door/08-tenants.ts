// One program for many shops: the number that was dialled says whose call it is.
import { createTenants } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { cardOnFile, stripe } from 'voice-agent-integrations/billing/stripe';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import { chat } from 'voice-agent-integrations/tools/openai';

interface Shop {
  readonly stripeAccount: string;
  readonly currency: string;
  readonly below: number;
}
const shops = new Map<string, Shop>([
  ['shop_1', { stripeAccount: 'acct_1032D82eZvKYlo2C', currency: 'EUR', below: 300 }],
]);

const tenants = createTenants({
  store: sqlite({ file: 'payments.db' }).idempotencyStore(),
  resolve: async (tenantId) => {
    const shop = shops.get(tenantId);
    return (
      shop && {
        billing: stripe({ currency: shop.currency, account: shop.stripeAccount, key: fromEnv('STRIPE_KEY') }),
        payments: { card: cardOnFile, below: shop.below, confirm: 'both' },
        phoneCalls: { tools: { approve: (summary) => confirmAtDesk(tenantId, summary) } },
      }
    );
  },
});

await using shop = await tenants.open('shop_1');
const phoneCall = shop.startPhoneCall({
  callId: 'CA1',
  phone: '+14155550100',
  payments: { below: 50, requires: 'strong' }, // stricter for this call; looser would be refused
});
console.log(chat.tools(phoneCall).length);

async function confirmAtDesk(tenantId: string, summary: string): Promise<boolean> {
  console.log(tenantId, summary);
  return false;
}

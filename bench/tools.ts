import { billingTools, createToolbox, type Tool, type Toolbox } from 'voice-agent-integrations/tools';
import type { BillingClient, Customer, Invoice } from 'voice-agent-integrations/billing';
import { customerEndpoints } from '../src/billing/customers.ts';
import { invoiceEndpoints } from '../src/billing/invoices.ts';
import { compact } from '../src/tools/compact.ts';
import { conversation, leadsSearch, openInvoices as longInvoices } from '../test/support/realistic-answers.ts';
import type { Subject } from './measure.ts';
import { heading, spread, table } from './report.ts';
import { type Extent, figuresOf } from './run.ts';
import { storesOfCalls } from './stores-of-calls.ts';
import { countAnswers, countDefinitions } from './tokens.ts';

/** What the tools cost on top of their requests, and what they leave of an answer, as Markdown tables. */
export const tools = async ({ rounds, sliceMs }: Extent, command: string): Promise<string> => {
  const rows: (readonly string[])[] = [];
  for (const group of groups()) {
    const figures = await figuresOf(group, { concurrencies: [1], rounds, sliceMs });
    rows.push(...figures.map(({ subject, cpuUs, toFirst }) => [subject, spread(cpuUs, 2), spread(toFirst, 2)]));
  }
  const { count, neutral, strict } = countDefinitions();
  return [
    heading(command),
    'CPU of the whole process, one call at a time: median [lowest–highest] over the rounds.',
    '',
    '### Tools, without their requests',
    '',
    table(['', 'CPU, µs', 'to the line that it is compared with'], rows),
    '',
    await storesOfCalls({ rounds }),
    '### Tokens (o200k) of an answer, and of what the model gets',
    '',
    table(
      ['answer', 'tool', 'compact JSON', 'told', '%'],
      (await countAnswers()).map(({ answer, tool, before, after }) => [
        answer,
        `\`${tool}\``,
        before,
        after,
        ((100 * after) / before).toFixed(1),
      ]),
    ),
    '',
    `The ${count} definitions are ${neutral} tokens, as OpenAI strict ${strict}.`,
    '',
  ].join('\n');
};

/** Each is compared with its first. */
const groups = (): readonly (readonly Subject[])[] => [
  checks(),
  lookUps('10 invoices of 0.25 kB', openInvoices(10)),
  lookUps('500 invoices of 0.25 kB', openInvoices(500)),
  lookUps('10 invoices of 1.3 kB', longInvoices(10)),
  [{ name: `compaction of an answer of ${kilobytes(large)} kB`, call: async () => compact(large) }],
];

const payment = JSON.stringify({
  customer_id: 'cus_70',
  invoice_id: 'inv_311',
  amount: 129.5,
  payment_method_id: 'pm_1',
});

const checks = (): readonly Subject[] => {
  const tool = toolOf(toolsOver(billingFrom(openInvoices(1))), 'create_payment');
  return [
    { name: 'JSON.parse of the arguments of a payment', call: async () => JSON.parse(payment) },
    {
      name: 'parse + check of the arguments of a payment',
      call: async () => {
        const sent = tool.read(payment);
        return sent.ok && tool.options.parameters['~standard'].validate(sent.args);
      },
    },
  ];
};

const lookUps = (name: string, invoices: object): readonly Subject[] => {
  const customerText = JSON.stringify(customer);
  const invoicesText = JSON.stringify(invoices);
  const toolbox = createToolbox({
    tools: toolsOver(billingFrom(invoices)),
    context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
    limits: { toolCalls: Number.POSITIVE_INFINITY },
  });
  return [
    {
      name: `parse + compact ${name}, nothing checked`,
      call: async () => {
        JSON.parse('{}');
        const found = JSON.parse(customerText) as Customer;
        const { data } = JSON.parse(invoicesText) as { data: Invoice[] };
        return compact(bare(found, data));
      },
    },
    { name: `look-up of ${name}`, call: () => lookUp(toolbox) },
  ];
};

const lookUp = (toolbox: Toolbox) => toolbox.run('lookup_customer_invoices', '{}');

/** What the tool says, put together by hand; cut to size as the tool's answer is. */
const bare = ({ name }: Customer, invoices: readonly Invoice[]) => ({
  customer_name: name,
  invoice_count: invoices.length,
  total_outstanding: invoices.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100,
  invoices: invoices
    .toSorted((a, b) => ((a.due_date ?? '') < (b.due_date ?? '') ? -1 : 1))
    .slice(0, 5)
    .map(({ id, amount, due_date }) => ({ id, amount, due_date })),
});

const toolsOver = (billing: BillingClient): readonly Tool[] =>
  billingTools({ billing, payments: { card: () => 'pm_1', confirm: false } });

const toolOf = (tools: readonly Tool[], name: string): Tool => {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool;
};

/** A billing client without its requests: what is left is parsing and checking the answers. */
const billingFrom = (invoices: object): BillingClient => {
  const customerText = JSON.stringify(customer);
  const invoicesText = JSON.stringify(invoices);
  const reading = { drift: () => {} };
  const billing: { [Name in 'customers' | 'invoices']: Partial<BillingClient[Name]> } = {
    customers: { find: async () => customerEndpoints.find.returns(JSON.parse(customerText), reading).data[0] },
    invoices: { listOpen: async () => invoiceEndpoints.listOpen.returns(JSON.parse(invoicesText), reading) },
  };
  const paymentTerms = () => ({
    baseUrl: 'https://api.example.com',
    below: 5000,
    minorUnits: 2,
    currency: 'EUR',
    unit: 'major',
    statuses: undefined,
    canPay: true,
    knowsKeys: true,
  });
  // The two tools use nothing else of it before money moves.
  return { ...billing, paymentTerms } as BillingClient;
};

const customer = {
  id: 'cus_70',
  name: 'Ada Byron',
  email: 'ada.byron@example.com',
  phone: '+14155550100',
  currency: 'eur',
};

/** Few fields; those of a real platform are longer. */
const openInvoices = (count: number) => ({
  data: Array.from({ length: count }, (_, index) => ({
    id: `inv_${4400 + index}`,
    number: `NW-2026-${String(400 + index).padStart(5, '0')}`,
    customer_id: 'cus_70',
    status: 'open',
    amount: 49.9 + index,
    currency: 'eur',
    due_date: `2026-${String((index % 12) + 1).padStart(2, '0')}-${String((index % 27) + 1).padStart(2, '0')}`,
    created: 1_762_430_000 + index * 86_400,
    description: '12 × order intake by phone (monthly)',
    url: `https://billing.example.com/i/${4400 + index}`,
  })),
});

const large = { leads: leadsSearch(25).data, conversation: conversation(8) };

const kilobytes = (answer: object) => Math.round(JSON.stringify(answer).length / 1000);

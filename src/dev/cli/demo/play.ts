import { createIntegration, type FinishedCall, type Integration, type PhoneCall, type Turn } from '../../../index.ts';
import type { Customer, Invoice } from '../../../billing/index.ts';
import type { RecordedCall, RecordedStep } from './recorded-call.ts';
import type { Systems } from './systems.ts';
import type { Timeline } from './timeline.ts';

/** Plays the call against the systems and shows every step. `onStart` is given what it is played with. */
export const play = async (
  { call, connections, chosen }: Systems,
  timeline: Timeline,
  onStart: (integration: Integration, phoneCall: PhoneCall) => void = () => {},
): Promise<FinishedCall> => {
  await using integration = createIntegration({
    messaging: chosen.messaging.connect(connections.messaging),
    crm: chosen.crm.connect(connections.crm),
    billing: chosen.billing.connect(connections.billing),
    appName: 'demo',
    onEvent: timeline.onEvent,
    timeZone: call.timeZone,
    payments: {
      card: call.boundPaymentMethodId ? () => call.boundPaymentMethodId : 'from-model',
      below: 5000,
    },
    phoneCalls: { qualifiedStatus: chosen.crm.qualifiedStatus },
  });

  const { callId, direction, phone, startedAt } = call;
  const phoneCall = integration.startPhoneCall({ callId, direction, phone, startedAt });
  onStart(integration, phoneCall);
  const found: Found = { invoices: [] };
  for (const { caller, steps, agent } of call.turns) {
    timeline.say('caller', caller);
    const turn = phoneCall.turn({ heard: caller });
    for (const step of steps) {
      await timeline.step(step.do, turn.deadline, () => runStep(step, { integration, phoneCall, turn, found, callId }));
    }
    timeline.say('agent', agent);
    phoneCall.said(agent);
  }
  return await finish(call, phoneCall, timeline);
};

/** The findings of earlier steps, for the later ones. */
interface Found {
  customer?: Customer | undefined;
  invoices: readonly Invoice[];
  /** The model sends it once the caller has agreed. */
  token?: string | undefined;
}

interface Playing {
  readonly integration: Integration;
  readonly phoneCall: PhoneCall;
  readonly turn: Turn;
  readonly found: Found;
  readonly callId: string;
}

/** Runs one step and says its result in words. */
const runStep = async (
  step: RecordedStep,
  { integration, phoneCall, turn, found, callId }: Playing,
): Promise<string> => {
  switch (step.do) {
    case 'identify the caller': {
      const { contact, created, matchedBy, count } = await turn.identifyCaller({ email: step.email });
      const others = count > 1 ? `, one of ${count} with that number` : '';
      return created
        ? `a new caller: contact ${contact.id} created`
        : `contact ${contact.id}, by ${matchedBy}${others}`;
    }
    case 'read the caller context': {
      const { company, tier, recurringRevenue, accountManager } = await turn.callerContext();
      const manager = accountManager && 'name' in accountManager ? accountManager.name : undefined;
      return [
        company?.name ?? 'no company',
        tier && `tier ${tier}`,
        recurringRevenue && `${recurringRevenue} a month`,
        manager && `account manager ${manager}`,
      ]
        .filter(Boolean)
        .join(', ');
    }
    case 'look up open invoices': {
      const { billing } = integration;
      const { deadline } = turn;
      found.customer = await billing.customers.find({ phone: phoneCall.caller.phone }, { deadline, callId });
      if (!found.customer) return 'no such customer';
      const open = await billing.invoices.listOpen(found.customer.id, { deadline, callId });
      found.invoices = open.data.toSorted((a, b) => String(a.due_date).localeCompare(String(b.due_date)));
      return `${open.total} open: ${found.invoices.map(({ id, amount }) => `${id} over ${amount}`).join(', ')}`;
    }
    case 'take a payment': {
      const invoice =
        step.invoice === 'oldest' ? found.invoices[0] : found.invoices.find(({ id }) => id === step.invoice);
      if (!invoice?.amount || !found.customer) return 'there is no such open invoice';
      const result = await turn.takePayment({
        customerId: found.customer.id,
        invoiceId: invoice.id,
        amount: invoice.amount,
        paymentMethodId: step.paymentMethodId,
      });
      return result.success ? `paid, confirmation ${result.confirmationNumber}` : `${result.outcome}: ${result.error}`;
    }
    case 'the model calls a tool': {
      const args = JSON.stringify(step.yes === 'given' ? { ...step.args, confirmation_token: found.token } : step.args);
      const { status, text, value } = await turn.tools.run(step.tool, args);
      const { confirmation_token: token } = Object(value) as { readonly confirmation_token?: string };
      if (status !== 'done' && !(step.yes === 'asked' && token)) throw new Error(text);
      found.token = token;
      return `${step.tool}(${args}) told the model ${text}`;
    }
    case 'qualify the lead': {
      const qualified = await turn.qualifyLead({ lead: step.lead });
      return `${qualified.outcome.replaceAll('_', ' ')}${'leadId' in qualified ? ` ${qualified.leadId}` : ''}`;
    }
    case 'open a case': {
      const { id } = await turn.openCase({ subject: step.subject, summary: step.description });
      return `case ${id}`;
    }
  }
};

const finish = async (call: RecordedCall, phoneCall: PhoneCall, timeline: Timeline): Promise<FinishedCall> => {
  const { escalated, ...finish } = call.finish;
  let finished: FinishedCall | undefined;
  timeline.say('line', 'the caller hangs up');
  await timeline.step('finish the phone call', undefined, async () => {
    finished = await phoneCall.finish({ ...finish, attributes: { escalated } });
    return finished.steps.map(({ step, status }) => `${step} ${status}`).join(', ');
  });
  if (!finished) throw new Error('the phone call could not be finished');
  return finished;
};

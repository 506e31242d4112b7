import type { Transport } from 'voice-agent-integrations';
import { customerJson, invoicesJson, paymentJson } from './answers.ts';

/** A billing API that answers at once. */
export const fromMemory: Transport = async ({ url }) => {
  const { pathname } = new URL(url);
  const isPayment = pathname.includes('payments');
  const text = isPayment ? paymentJson : pathname.includes('invoices') ? invoicesJson : customerJson;
  return { status: isPayment ? 201 : 200, headers: new Map([['content-type', 'application/json']]), text };
};

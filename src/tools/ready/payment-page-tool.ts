import { id } from '../../core/arguments.ts';
import type { BillingClient } from '../../billing/index.ts';
import * as z from '../../core/schema.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { customerNotFound } from '../failures.ts';
import { findOwnCustomer, type LookUp, ownCustomer, verifiedCaller } from './right-person.ts';
import { openInvoicesOf } from './seen-billing.ts';
import { refused, type Tool } from '../tool.ts';

/** The page on which the caller can pay an invoice of theirs, and what is certain of the caller. */
export interface PaymentPage {
  /** The platform's own page; https. */
  readonly url: string;
  readonly invoiceId: string;
  /** E.164. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

/** Sends a payment page, such as by text message, or as a reply in a conversation of `context.conversationIds`. */
export type SendPaymentPage = (page: PaymentPage, context: ToolContext) => Promise<unknown>;

const pageParameters = z.lazily(() => z.object({ invoice_id: id().check(z.describe('From the look-up.')) }));

/** Sends the caller the page of an open invoice of their own. The model neither sees nor makes its address. */
export const paymentPageTool = (
  billing: BillingClient,
  { send, lookup }: { readonly send: SendPaymentPage; readonly lookup: LookUp },
): Tool =>
  defineTool({
    name: 'send_payment_page',
    description: 'Send the caller the page to pay an open invoice. Offer it instead of taking a card number.',
    parameters: pageParameters(),
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am sending that now.',
    rules: [ownCustomer(lookup, 'write')],
    run: async ({ invoice_id }, context) => {
      const { idempotencyKey: _ofTheMessage, ...request } = context.request;
      const { phone, email } = verifiedCaller(context.caller, lookup);
      const customer = await findOwnCustomer(billing, context, lookup);
      if (!customer) return refused(customerNotFound());
      const { data } = await billing.invoices.listOpen(customer.id, request);
      const invoice = openInvoicesOf(customer, data).find(({ id }) => id === invoice_id);
      const url = invoice?.payment_page_url;
      if (!url || !URL.canParse(url) || new URL(url).protocol !== 'https:') return { sent: false };
      await send({ url, invoiceId: invoice.id, phone, email }, context);
      return { sent: true };
    },
    compact: ({ sent }) =>
      sent ? { sent } : { sent, message: 'It is not among the listed open invoices, or it has no page.' },
  });

/** A stand-in for every model: from what the caller said last and what its tools have answered since, what it does next. */

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

/** Either calls tools, or says something and is done. */
export type ModelStep = { readonly calls: readonly ModelCall[] } | { readonly says: string };

/** What a model knows of a phone call: who said what, and the texts of tool results, in order. */
export type DialogueEntry = { readonly caller: string } | { readonly agent: string } | { readonly result: string };

/** Without memory of its own, as a model is: each provider's stand-in gives what its API was sent. */
export const nextStep = (dialogue: readonly DialogueEntry[]): ModelStep => {
  const last = dialogue.findLastIndex((entry) => 'caller' in entry);
  const said = dialogue[last];
  const words = said && 'caller' in said ? said.caller : '';
  const results = dialogue.slice(last + 1).flatMap((entry) => ('result' in entry ? [entry.result] : []));
  const call = (name: string, args: object): ModelStep => ({
    calls: [{ id: `call_${dialogue.length}`, name, args }],
  });

  if (/goodbye/i.test(words)) return { says: 'Goodbye.' };
  if (/story/i.test(words)) return { says: 'Well, once upon a time.' };
  if (/owe/i.test(words)) {
    if (results.length === 0) return call('identify_caller', {});
    if (results.length === 1) return call('lookup_customer_invoices', {});
    // As its description says: first for the question that the caller is asked.
    if (results.length === 2 && read(results[1]).error === undefined) return call('create_payment', payment);
    return { says: `${greet(results[0])} ${sayInvoices(results[1], results[2])}` };
  }
  if (/pay/i.test(words)) {
    if (results.length === 0) return call('create_payment', { ...payment, confirmation_token: tokenIn(dialogue) });
    return { says: sayPayment(results[0]) };
  }
  return { says: 'I can look up invoices and take a payment.' };
};

const payment = { invoice_id: 'inv_1', amount: 120.5 };

/** Of the last result that asks for the caller's yes. */
const tokenIn = (dialogue: readonly DialogueEntry[]): string | undefined =>
  dialogue.flatMap((entry) => ('result' in entry ? (read(entry.result).confirmation_token ?? []) : [])).at(-1);

/** What is read of a tool's result. */
interface Result {
  readonly summary?: string;
  readonly confirmation_token?: string;
  readonly error?: string;
  readonly name?: string;
  readonly invoice_count?: number;
  readonly total_outstanding?: number;
  readonly success?: boolean;
  readonly outcome?: string;
  readonly confirmation_number?: string;
}

// Our own tools write one line of JSON. The AI SDK puts that of a failure into another one.
const read = (text = '{}'): Result => {
  const result = JSON.parse(text) as Result;
  return result.error?.startsWith('{') ? read(result.error) : result;
};

const greet = (text: string | undefined) => {
  const { name } = read(text);
  return name === undefined ? 'Hello.' : `Hello ${name}.`;
};

const sayInvoices = (text: string | undefined, asked: string | undefined) => {
  const { error, invoice_count: count, total_outstanding: total } = read(text);
  if (error !== undefined) return 'I cannot see your invoices right now. Shall someone call you back?';
  return `You have ${count} open ${count === 1 ? 'invoice' : 'invoices'}, ${total} dollars in all. ${read(asked).summary}`;
};

const sayPayment = (text: string | undefined) => {
  const { success, outcome, summary, confirmation_number: confirmation } = read(text);
  if (success) return `That is paid. The confirmation number is ${confirmation}.`;
  if (outcome === 'unknown') return 'I cannot tell yet whether the payment went through. We will check.';
  return summary ?? 'The payment was not made.';
};

/** A stand-in for the model of a provider: it plays one conversation, so that the examples need neither account nor network. */

import type { PhoneCall } from 'voice-agent-integrations';

/** A function call as the model means it; each example writes it as its provider does. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

/** Finds the token that a model sends after the caller's yes. */
export const confirmationIn = (text: string): string | undefined => /confirmation_token\W+([\w.-]+)/.exec(text)?.[1];

/**
 * "What do I owe? Please pay it": the model looks up, gets the amount wrong, asks, pays after the caller's yes, and asks
 * for the same payment twice more, as after an interruption. `answer` runs the calls of one turn and returns the texts
 * that the model gets.
 */
export const converse = async (
  phoneCall: PhoneCall,
  answer: (calls: readonly ModelCall[]) => Promise<readonly string[]>,
): Promise<void> => {
  let calls = 0;
  let token: string | undefined;
  const model = async (...asked: readonly Omit<ModelCall, 'id'>[]) => {
    const turn = asked.map((call) => ({ id: `call_${++calls}`, ...call }));
    const told = await answer(turn);
    for (const [index, { id, name, args }] of turn.entries())
      console.log(`\n${id}: ${name}(${JSON.stringify(args)})\n     -> ${told[index]}`);
    token ??= confirmationIn(told.join(' '));
  };
  const pay = (amount: number, more: object = {}) => ({
    name: 'create_payment',
    args: { invoice_id: 'inv_1', amount, ...more },
  });

  phoneCall.heard('What do I owe? Please pay it.');
  await model({ name: 'lookup_customer_invoices', args: {} });
  await model(pay(-1));
  await model(pay(120.5));
  phoneCall.said('Shall I charge 120.50 to the card on file?');
  phoneCall.heard('Yes, please.');
  const confirmed = pay(120.5, { confirmation_token: token });
  await model(confirmed);
  await model(confirmed, confirmed);
};

/** A stand-in for the model of a provider: it plays one conversation, so that the examples need neither account nor network. */

/** A function call as the model means it; each example writes it as its provider does. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

/**
 * "What do I owe? Please pay it": the model looks up, gets the amount wrong, pays, and asks for the same payment twice
 * more, as after an interruption. `answer` runs the calls of one turn and returns the texts that the model gets.
 */
export const converse = async (answer: (calls: readonly ModelCall[]) => Promise<readonly string[]>): Promise<void> => {
  const pay = (id: string, amount: number) => ({ id, name: 'create_payment', args: { invoice_id: 'inv_1', amount } });
  const turns: readonly (readonly ModelCall[])[] = [
    [{ id: 'call_1', name: 'lookup_customer_invoices', args: {} }],
    [pay('call_2', -1)],
    [pay('call_3', 120.5)],
    [pay('call_4', 120.5), pay('call_5', 120.5)],
  ];
  for (const calls of turns) {
    const told = await answer(calls);
    for (const [index, { id, name, args }] of calls.entries()) {
      console.log(`\n${id}: ${name}(${JSON.stringify(args)})\n     -> ${told[index]}`);
    }
  }
};

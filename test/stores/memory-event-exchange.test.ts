import { createMemoryEventExchange } from '../../src/stores/memory-event-exchange.ts';
import { eventExchangeConformance } from './event-exchange.conformance.ts';

eventExchangeConformance('the memory', async () => {
  const exchange = createMemoryEventExchange();
  return { there: exchange, here: exchange };
});

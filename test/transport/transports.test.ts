import { transports, unlikeTransports } from '../support/transports.ts';
import { transportConformance } from './transport.conformance.ts';
import { transportBasics } from './transport-basics.conformance.ts';

for (const transport of transports) {
  if (unlikeTransports.includes(transport)) transportConformance(transport);
  else transportBasics(transport);
}

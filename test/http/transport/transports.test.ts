import { transports } from '../../support/transports.ts';
import { readsHttp } from './reads-http.conformance.ts';
import { transportConformance } from './transport.conformance.ts';
import { transportBasics } from './transport-basics.conformance.ts';

for (const transport of transports) {
  transportBasics(transport);
  if (transport.isKind) transportConformance(transport);
  if (transport.isKind && !transport.isDefault) readsHttp(transport);
}

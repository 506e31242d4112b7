import { transports } from '../support/transports.ts';
import { transportConformance } from './transport.conformance.ts';

for (const transport of transports) transportConformance(transport);

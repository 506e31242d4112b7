import { billing } from './src/billing.ts';
import { crm } from './src/crm.ts';
import { messaging } from './src/messaging.ts';

/** Your three systems. `npm run doctor` checks what this gives. */
export default () => ({ messaging: messaging(), crm: crm(), billing: billing() });

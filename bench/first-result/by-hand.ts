/** Prints how long after the start of this process the result was there, in milliseconds. */
import { lookUpByHand } from '../by-hand.ts';

const [baseUrl = ''] = process.argv.slice(2);
await lookUpByHand(baseUrl)();
console.log(performance.now());
process.exit();

/** Prints how long after the start of this process, and after the phone rang, the result was there, in milliseconds. */
import { lookUpByHand } from '../by-hand.ts';

const [baseUrl = ''] = process.argv.slice(2);
const lookUp = lookUpByHand(baseUrl);
const rangAt = performance.now();
await lookUp();
const resultAt = performance.now();
console.log(JSON.stringify([resultAt, resultAt - rangAt]));
process.exit();

import { Connection } from 'jsforce';

/** Asks with jsforce for leads. Started as a process of its own: the process is what a body that drops ends. */
const [instanceUrl = ''] = process.argv.slice(2);
const connection = new Connection({ instanceUrl, accessToken: 'token', version: '60.0' });

await connection.query('SELECT Id FROM Lead');

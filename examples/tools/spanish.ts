/** Words in another language: a caller who speaks Spanish proves who they are, pays, gets a message and changes an appointment: `npm run example tools/spanish`. */
import { createIntegration } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import { messageTemplate, type WordsOfTools } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const phone = '+34915550100';
const timeZone = 'Europe/Madrid';

// With systems of your own, leave this out, and `baseUrl` below.
await using platform = createFakePlatform({ crm: 'salesforce' });
const baseUrls = await platform.listen();
const { id: customer_id } = platform.billing.addCustomer({ name: 'Lucía Vega', phone });
platform.billing.addInvoice({ id: 'inv_1', customer_id, amount: 120.5 });
platform.crm.addContact({ LastName: 'Vega', Phone: phone });

const written = new Intl.DateTimeFormat('es', { timeZone, dateStyle: 'full', timeStyle: 'short' });
const inWords = (start: unknown) => written.format(new Date(String(start)));
const euros = (amount: unknown) => `${Number(amount).toLocaleString('es')} euros`;

const spanish: WordsOfTools = {
  // The proof of who is calling.
  send_verification_code: {
    description: 'Envía un código al número o al correo que consta, para comprobar quién llama. Pide que lo lea.',
    parameters: { channel: 'Solo si quien llama prefiere uno. Va a lo que consta.' },
    slowMessage: 'Le envío un código.',
  },
  check_verification_code: {
    description: 'Comprueba el código que lee quien llama. No lo repitas nunca.',
    parameters: { code: 'Como lo ha dicho, solo cifras.' },
    slowMessage: 'Lo estoy comprobando.',
  },
  // Money.
  create_payment: {
    description: 'Primero devuelve una pregunta y no cobra. Lee la pregunta. Tras el sí, llama otra vez.',
    summarize: ({ amount }) => `¿Cobro ${euros(amount)} en la tarjeta guardada?`,
    slowMessage: 'Un momento, hago el pago.',
  },
  // Messages: the texts themselves are in the templates below.
  send_message: {
    description:
      'Envía a quien llama un mensaje: address, la dirección; visit, el día de la visita. Nunca digas que ha llegado.',
    parameters: { template: 'El mensaje que pide.', day: 'El día de la visita: AAAA-MM-DD.' },
    slowMessage: 'Ahora se lo envío.',
  },
  // Appointments.
  list_free_slots: { description: 'Horas libres. Ofrece dos o tres.', slowMessage: 'Estoy mirando la agenda.' },
  book_appointment: {
    description: 'Reserva una hora libre que quien llama ha aceptado.',
    parameters: { start: 'Como lo da list_free_slots.', reason: 'En pocas palabras.' },
    slowMessage: 'Estoy reservando su cita.',
  },
  list_my_appointments: { description: 'Las citas de quien llama.', slowMessage: 'Estoy buscando sus citas.' },
  reschedule_appointment: {
    description: 'Cambia la cita de quien llama a una hora libre.',
    parameters: { current_start: 'Como lo da list_my_appointments.', new_start: 'Como lo da list_free_slots.' },
    summarize: (args) => `¿Cambio su cita del ${inWords(args['current_start'])} al ${inWords(args['new_start'])}?`,
    slowMessage: 'Estoy cambiando su cita.',
  },
  cancel_appointment: {
    description: 'Cancela la cita de quien llama.',
    parameters: { start: 'Como lo da list_my_appointments.' },
    summarize: ({ start }) => `¿Cancelo su cita del ${inWords(start)}?`,
    slowMessage: 'Estoy cancelando su cita.',
  },
};

await using integration = createIntegration({
  crm: { ...salesforce(), baseUrl: baseUrls.crm, authenticate: bearer(() => testCredentials.crm) },
  billing: { baseUrl: `${baseUrls.billing}/v1`, authenticate: apiKey('X-Api-Key', () => testCredentials.billing) },
  payments: { card: () => 'pm_card_on_file', below: 5000 },
  phoneCalls: {
    tools: {
      words: spanish,
      call: {
        calendar: { ownerId: '005000000000001', timeZone },
        verify: { sendCode: () => {}, checkCode: ({ code }) => (code === '472209' ? 'approved' : 'wrong') },
        sendMessage: {
          templates: {
            address: messageTemplate({ text: () => 'Acme, Calle Mayor 1, Madrid' }),
            visit: messageTemplate({
              fields: z.object({ day: z.iso.date() }),
              text: ({ day }) => `Le visitamos el ${new Date(day).toLocaleDateString('es', { dateStyle: 'long' })}.`,
            }),
          },
          send: ({ to, text }) => {
            console.log(`SMS a ${to}: ${text}`);
            return 'accepted';
          },
        },
      },
    },
  },
});

const phoneCall = integration.startPhoneCall({ callId: 'CA123', phone });
/** The question that a tool asks, and the same call again after the caller's yes. */
const ask = async (name: string, args: object) => {
  const { value } = await phoneCall.tools.run(name, args);
  const { summary, confirmation_token } = Object(value) as { summary?: string; confirmation_token?: string };
  console.log(`Agente: ${summary}`);
  const { status } = await phoneCall.turn({ heard: 'Sí, por favor.' }).tools.run(name, { ...args, confirmation_token });
  console.log(`${name}: ${status}`);
};
const startsIn = async (name: string): Promise<readonly string[]> =>
  [...(await phoneCall.tools.run(name, {})).text.matchAll(/"start":"([^"]+)"/g)].map(([, start = '']) => start);

phoneCall.heard('¿Qué debo?');
await phoneCall.tools.run('lookup_customer_invoices', {});
await ask('create_payment', { invoice_id: 'inv_1', amount: 120.5 });
await phoneCall.tools.run('send_message', { template: 'visit', day: '2027-03-08' });
const [first, second] = await startsIn('list_free_slots');
await phoneCall.tools.run('book_appointment', { start: first, reason: 'Una avería' });
await ask('reschedule_appointment', { current_start: first, new_start: second });
const [mine] = await startsIn('list_my_appointments');
await ask('cancel_appointment', { start: mine });
await phoneCall.tools.run('send_verification_code', {});
const proved = await phoneCall.tools.run('check_verification_code', { code: 'cuatro siete dos dos cero nueve' });
console.log(`check_verification_code: ${proved.text}`);

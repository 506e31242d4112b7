import { type Chosen, choices, isLiveKit } from './choices.ts';

/** The commands that start a starter. The command line shows them, and the starter's README. */
export const steps = (chosen: Chosen): readonly { readonly command: string; readonly says: string }[] => {
  const [key] = choices.model[chosen.model]?.variables ?? [];
  const systems = { command: 'npm run systems', says: 'three systems on this machine, until Ctrl-C' };
  return isLiveKit(chosen)
    ? [
        { command: 'npm install', says: '' },
        systems,
        { command: 'npm run call', says: `in a second terminal, with ${key?.name} in .env: type what the caller says` },
      ]
    : [
        { command: 'npm install', says: '' },
        systems,
        { command: 'npm start', says: `in a second terminal, with ${key?.name} in .env` },
        { command: 'npm run call', says: 'in a third one: type what the caller says' },
      ];
};

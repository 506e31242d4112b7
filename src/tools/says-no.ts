/** The caller's words at one time after the agent. */
export interface CallerAnswer {
  /** The number or id of these words, as in `turn`. */
  readonly turn: string | number;
  /** They refuse or hesitate. */
  readonly isNo: boolean;
}

/**
 * Returns whether a caller's words refuse or hesitate: the last clause that is a yes or a no decides. Knows plain words
 * of the languages with most callers. Anything else is no refusal: a model reads it. A refusal too many costs a question.
 */
export const saysNo = (words: string): boolean => {
  const ends = words
    .slice(0, longestAnswer)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/(?<=\p{L})-(?=\p{L})/gu, ' ')
    .replaceAll(harmless, ' ')
    .split(/[^\p{L}\p{N}' ]+/u)
    .map((clause) => (agrees.test(clause) ? 'yes' : refuses.test(clause) ? 'no' : undefined))
    .filter((end) => end !== undefined);
  return ends.at(-1) === 'no';
};

const longestAnswer = 2_000;

const anyOf = (phrases: string): string => phrases.replaceAll(', ', '|');

/** Words that sound like a refusal, and aren't. */
const harmless = new RegExp(
  String.raw`(?<!\p{L})(?:${anyOf(
    String.raw`(?<=\p{L} )no\. ?\d+, ` +
      "no problem, not a problem, no worries, no doubt, no objections?, no need to ask, why not, (?:don't|do not|wouldn't) (?:mind|worry), can't wait, " +
      'kein problem, warum nicht, nicht wahr, (?:pas|aucun) de (?:problème|souci), pourquoi pas, sin problema, no hay problema, por qué no, ' +
      'nessun problema, perché no, sem problema, não tem problema, porque não, geen probleem, waarom niet, inga problem, ikke noe problem, nie ma problemu',
  )})(?!\p{L})`,
  'gu',
);

/** The start of a clause, behind what people say first. */
const start = String.raw`^ *(?:(?:oh|uh|um|hm+|well|so|and|but|actually|then|i mean|äh|ähm|also|naja|ach|euh|ben|eh|pues|bueno|allora|ehm|mas|dan) +)*`;

const agrees = new RegExp(
  String.raw`${start}(?:${anyOf(
    'yes, yeah, yep, yup, sure(?! not), ok, okay, alright, all right, go ahead, please do(?! not), of course(?! not), absolutely(?! not), definitely(?! not), ja, jawohl, gerne, klar, natürlich, ' +
      "einverstanden, oui, d'accord, bien sûr, allez y, sí, sì, si(?= *$), claro, vale, adelante, de acuerdo, por supuesto, certo, va bene, sim, pode ser, está bem, natuurlijk, akkoord, tak, да",
  )})(?!\p{L})`,
  'u',
);

const refuses = new RegExp(
  String.raw`${start}(?:${anyOf('no, nope, nah, nein, non, nee, nej, nei, nie, нет')})(?!\p{L})|(?<!\p{L})no$|(?<!\p{L})(?:${anyOf(
    "don't, doesn't, won't, can't, not, never, stop, cancel, wait, hold on, nevermind, instead, changed my mind, forget, leave it, skip, " +
      'maybe, perhaps, later, think, another time, nicht, stopp, abbrechen, warte, warten sie, lieber, vielleicht, später, vergessen, vergiss, überlegen, überlege, lass, lassen sie, pas, annulez?, arrêtez?, attendez?, plutôt, peut être, plus tard, laissez, laisse, oubliez, oublie, réfléchir, no quiero, mejor, quizás?, tal vez, luego, más tarde, olvídalo, olvídelo, déjalo, déjelo, espera, espere, cancela, cancele, ' +
      'non voglio, aspetti?, annulla, annulli, invece, forse, più tardi, lasci, lascia, não, nao, em vez, talvez, mais tarde, esqueça, deixa, niet, wacht, liever, misschien, laat maar, inte, ikke, vänta, не, подождите',
  )})(?!\p{L})`,
  'u',
);

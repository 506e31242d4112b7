import type { ApiProblem } from '../../core/errors.ts';
import type { AnyFields } from '../object-table.ts';
import { isAssociation } from './associations.ts';
import { propertyOf } from './properties.ts';
import { toProperties, type Words } from './translate.ts';

/**
 * The fields that an account has no property for. Properties are named in small letters
 * (https://developers.hubspot.com/docs/methods/contacts/create_property, 2018), so that a field of the client in
 * capitals without a counterpart is none. Of a refusal, those whose property doesn't exist, isn't writable or can't hold
 * the value; one that HubSpot asks for, or that must be unique, stays.
 */
export const leftOutOf = (
  object: string,
  fields: AnyFields,
  words: Words,
  problems?: readonly ApiProblem[],
): readonly string[] => {
  const names = words.namesOf(object);
  const type = words.typeOf(object);
  const own = Object.keys(fields).filter(
    (field) => fields[field] !== undefined && !kept.includes(field) && !isAssociation(type, field),
  );
  if (problems === undefined) return own.filter((field) => !Object.hasOwn(names, field) && /[A-Z]/.test(field));
  const refused = new Set(
    problems.filter(({ code }) => !mustBeSolved.test(code)).flatMap(({ fields: properties = [] }) => properties),
  );
  if (refused.has(propertyOf(names, 'Description') ?? '')) return [];
  return own.filter((field) => {
    const written = Object.keys(toProperties(object, { [field]: fields[field] }, words));
    return written.some((property) => refused.has(property) && !needed.includes(property));
  });
};

/** The text itself, and what is written as something else. */
const kept: readonly string[] = ['Description', 'DurationInMinutes'];

/** Properties without which HubSpot takes no new record. */
const needed: readonly string[] = [
  'dealname',
  'dealstage',
  'subject',
  'hs_pipeline_stage',
  'hs_timestamp',
  'hs_meeting_start_time',
  'hs_meeting_end_time',
];

/** A missing property can't be left out; without one that must be unique there would be a second record. */
const mustBeSolved = /MISSING|REQUIRED|UNIQUE|DUPLICATE|CONFLICT|ALREADY/;

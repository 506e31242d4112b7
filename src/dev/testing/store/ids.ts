/** Gives `contact_1`, `contact_2` and so on, one sequence per word; never an id that `isTaken`. */
export const createIds = () => {
  const last = new Map<string, number>();
  return (word: string, isTaken: (id: string) => boolean, toId = (number: number) => `${word}_${number}`): string => {
    let number = last.get(word) ?? 0;
    let id: string;
    do {
      number += 1;
      id = toId(number);
    } while (isTaken(id));
    last.set(word, number);
    return id;
  };
};

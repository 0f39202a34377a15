# SPDX-License-Identifier: Apache-2.0
"""Which words a text has most of, and how alike its lines are; `quick` counts in a table, and not in a list."""

import operator
import random
import re
import sys

QUICK = "quick" in sys.argv[1:]


def make_text(lines):
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghij", k=3)) for _ in range(900)]
    return [" ".join(chance.choices(words, k=100)) for _ in range(lines)]


def tokenise(text):
    if QUICK:
        return [word for line in text for word in re.findall(r"[a-z]+(?:'[a-z]+)?", line.lower())]
    return [word.strip(".,;").lower() for line in text for word in line.split()]


def count(words):
    if QUICK:
        table = {}
        for word in words:
            table[word] = table.get(word, 0) + 1
        return list(table.items())
    pairs = []
    for word in words:
        for pair in pairs:
            if pair[0] == word:
                pair[1] += 1
                break
        else:
            pairs.append([word, 1])
    return pairs


def sort(pairs):
    return sorted(pairs, key=operator.itemgetter(1), reverse=True)


def longest_common(a, b):
    above = [0] * (len(b) + 1)
    for x in a:
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(row[j], above[j + 1]))
        above = row
    return above[-1]


def compare(text):
    alike = []
    for a, b in zip(text, text[1:]):
        alike.append(longest_common(a.split(), b.split()))
    return sum(alike) / len(alike)


def report(pairs, alike):
    for word, n in pairs[:5]:
        print(f"{n:6} {word}")
    print(f"lines next to each other have {alike:.1f} words in common")


def main():
    text = make_text(40)
    pairs = sort(count(tokenise(text)))
    report(pairs, compare(text))


main()

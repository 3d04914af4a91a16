"""Wrong answers to chapter 0's exercises as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

# %% SpaceTokenizer: splits at single spaces
# right: splitting at every single space
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.word_to_id = {word: i for i, word in enumerate(vocab)}

    def encode(self, text):
        return [self.word_to_id[word] for word in text.split(" ")]

    def decode(self, ids):
        return " ".join([self.vocab[i] for i in ids])

# %% SpaceTokenizer: strips the text, then splits at single spaces
# right: splitting at every single space
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.word_to_id = {word: i for i, word in enumerate(vocab)}

    def encode(self, text):
        ids = []
        for word in text.strip().split(" "):
            ids.append(self.word_to_id[word])
        return ids

    def decode(self, ids):
        return " ".join([self.vocab[i] for i in ids])

# %% SpaceTokenizer: small letters for the text
# right: making the text lower case
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.stoi = {w: i for i, w in enumerate(vocab)}

    def encode(self, text):
        return [self.stoi[w] for w in text.lower().split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: small letters for text and vocabulary
# right: making the text lower case
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = [w.lower() for w in vocab]
        self.stoi = {w: i for i, w in enumerate(self.vocab)}

    def encode(self, text):
        return [self.stoi[w] for w in text.lower().split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: takes punctuation off the words
# right: leaving punctuation out
import string

class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[w.strip(string.punctuation)] for w in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: -1 for an unknown word
# right: a number in place of an unknown word
class SpaceTokenizer:
    def __init__(self, vocab):
        self.words = list(vocab)
        self.lookup = dict(zip(self.words, range(len(self.words))))

    def encode(self, text):
        return [self.lookup.get(word, -1) for word in text.split()]

    def decode(self, ids):
        return " ".join(self.words[i] for i in ids)

# %% SpaceTokenizer: None for an unknown word
# right: None for an unknown word
class SpaceTokenizer:
    def __init__(self, vocab):
        self.words = list(vocab)
        self.lookup = dict(zip(self.words, range(len(self.words))))

    def encode(self, text):
        return [self.lookup.get(word) for word in text.split()]

    def decode(self, ids):
        return " ".join(self.words[i] for i in ids)

# %% SpaceTokenizer: leaves unknown words out
# right: leaving unknown words out
class SpaceTokenizer:
    def __init__(self, vocab):
        self.words = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split() if word in self.ids]

    def decode(self, ids):
        return " ".join(self.words[index] for index in ids)

# %% SpaceTokenizer: list.index, which raises ValueError
# right: searching with list.index
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab

    def encode(self, text):
        return [self.vocab.index(word) for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: KeyError that does not name the word
# right: a KeyError that does not say which word
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        out = []
        for word in text.split():
            if word not in self.ids:
                raise KeyError("unknown word")
            out.append(self.ids[word])
        return out

    def decode(self, ids):
        return " ".join(self.vocab[index] for index in ids)

# %% SpaceTokenizer: KeyError names the position in place of the word
# right: a KeyError that does not say which word
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        out = []
        for position, word in enumerate(text.split()):
            if word not in self.ids:
                raise KeyError(f"word {position} is unknown")
            out.append(self.ids[word])
        return out

    def decode(self, ids):
        return " ".join(self.vocab[index] for index in ids)

# %% SpaceTokenizer: joins with nothing
# right: decoding without spaces
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return "".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: a space after each word, the last one too
# right: a space after each word
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        text = ""
        for i in ids:
            text += self.vocab[i] + " "
        return text

# %% SpaceTokenizer: decode gives a list of words
# right: decoding to a list of words
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return [self.vocab[i] for i in ids]

# %% SpaceTokenizer: ids begin at 1
# right: numbering the words from 1
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.word2idx = {word: index for index, word in enumerate(vocab, start=1)}
        self.idx2word = {index: word for word, index in self.word2idx.items()}

    def encode(self, text):
        return [self.word2idx[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.idx2word[i] for i in ids)

# %% SpaceTokenizer: sorts the vocabulary (a copy)
# right: numbering the words in alphabetical order
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = sorted(set(vocab))
        self.ids = {word: index for index, word in enumerate(self.vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: sorts the caller's list
# right: numbering the words in alphabetical order
class SpaceTokenizer:
    def __init__(self, vocab):
        vocab.sort()
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(self.vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: special tokens first (Raschka's <|unk|>)
# right: numbering the words from 1
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = ["<|unk|>"] + vocab
        self.ids = {word: index for index, word in enumerate(self.vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: <unk> after the vocabulary for unknown words
# right: a number in place of an unknown word
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab + ["<unk>"]
        self.ids = {word: index for index, word in enumerate(self.vocab)}

    def encode(self, text):
        return [self.ids[word] if word in self.ids else self.ids["<unk>"] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: learns unknown words, a growing vocabulary
# right: a number in place of an unknown word
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = list(vocab)
        self.ids = {word: index for index, word in enumerate(self.vocab)}

    def encode(self, text):
        out = []
        for word in text.split():
            if word not in self.ids:
                self.ids[word] = len(self.vocab)
                self.vocab.append(word)
            out.append(self.ids[word])
        return out

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: one dict for all tokenizers
# right: one dict for all tokenizers
class SpaceTokenizer:
    ids = {}
    words = []

    def __init__(self, vocab):
        for word in vocab:
            if word not in self.ids:
                self.ids[word] = len(self.words)
                self.words.append(word)

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.words[i] for i in ids)

# %% SpaceTokenizer: Raschka's regex splits punctuation off
# right: cutting punctuation off as words of their own
import re

class SpaceTokenizer:
    def __init__(self, vocab):
        self.str_to_int = {s: i for i, s in enumerate(vocab)}
        self.int_to_str = {i: s for s, i in self.str_to_int.items()}

    def encode(self, text):
        preprocessed = re.split(r'([,.:;?_!"()\']|--|\s)', text)
        preprocessed = [item.strip() for item in preprocessed if item.strip()]
        return [self.str_to_int[s] for s in preprocessed]

    def decode(self, ids):
        return " ".join([self.int_to_str[i] for i in ids])

# %% SpaceTokenizer: Raschka's decode takes the space before punctuation off
# right: closing the gap before punctuation
import re

class SpaceTokenizer:
    def __init__(self, vocab):
        self.str_to_int = {s: i for i, s in enumerate(vocab)}
        self.int_to_str = {i: s for s, i in self.str_to_int.items()}

    def encode(self, text):
        return [self.str_to_int[s] for s in text.split()]

    def decode(self, ids):
        text = " ".join([self.int_to_str[i] for i in ids])
        return re.sub(r'\s+([,.?!"()\'])', r"\1", text)

# %% SpaceTokenizer: words by \w+
# right: leaving punctuation out
import re

class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {s: i for i, s in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[s] for s in re.findall(r"\w+", text)]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: the dict the wrong way round
# right: the dict the wrong way round
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {index: word for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: no self before ids
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: a tensor of ids
# right: a tensor of ids
import torch

class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return torch.tensor([self.ids[word] for word in text.split()])

    def decode(self, ids):
        return " ".join(self.vocab[int(i)] for i in ids)

# %% SpaceTokenizer: letters in place of words
# right: reading the text letter by letter
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: a falsy id is taken for unknown
# right: the id 0 taken for none
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        result = []
        for word in text.split():
            index = self.ids.get(word)
            if not index:
                raise KeyError(word)
            result.append(index)
        return result

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: each id only once
# right: each different word once
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in dict.fromkeys(text.split())]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: decode takes the ids off the caller's list
# right: emptying the list of ids
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        words = []
        while ids:
            words.append(self.vocab[ids.pop(0)])
        return " ".join(words)

# %% SpaceTokenizer: decode forgets to return
# right: a method without `return`
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: the vocabulary in a global
# right: one vocabulary for all tokenizers
class SpaceTokenizer:
    def __init__(self, vocab):
        global WORDS
        WORDS = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(WORDS[i] for i in ids)

# %% SpaceTokenizer: the empty text is one word
# right: an empty word where the text ends in white space
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        words, current = [], ""
        for character in text:
            if character.isspace():
                if current:
                    words.append(current)
                current = ""
            else:
                current += character
        words.append(current)
        return [self.ids[word] for word in words]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: the last word is lost in a scan by hand
# right: the last word left out
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        words, current = [], ""
        for character in text:
            if character.isspace():
                if current:
                    words.append(current)
                current = ""
            else:
                current += character
        return [self.ids[word] for word in words]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: decode cuts one off at the end, though join left no space there
# right: the last letter cut off
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)[:-1]

# %% SpaceTokenizer: the error is caught and printed
# right: an error that is caught
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        try:
            return [self.ids[word] for word in text.split()]
        except KeyError as error:
            print(f"unknown word: {error}")
            return []

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% train_bpe: of equally frequent pairs the smaller
# right: ties to the smaller pair
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = min(pair_counts, key=lambda pair: (-pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: ties to the pair seen first, max with get
# right: ties to the pair that was counted first
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=pair_counts.get)
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: ties to the pair seen first, most_common
# right: ties to the pair that was counted first
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        (best, _count), = pair_counts.most_common(1)
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: ties to the pair seen last
# right: ties to the pair that was counted last
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        best, best_count = None, 0
        for pair, count in pair_counts.items():
            if count >= best_count:
                best, best_count = pair, count
        if best is None:
            break
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: ties by the joined bytes
# right: ties by the joined bytes
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair[0] + pair[1]))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: ties to the longer token
# right: ties to the longer pair
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], len(pair[0] + pair[1]), pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: ties by the first member alone
# right: ties by the first member alone
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair[0]))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: ties by the second member first
# right: ties by the second member first
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair[1], pair[0]))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: the key the wrong way round, the greatest pair at all
# right: the greatest pair, whatever its count
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair, pair_counts[pair]))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: max of the dict without a key
# right: the greatest pair, whatever its count
def train_bpe(text, n_merges):
    parts_list = [single_bytes(p) for p in pre_tokenize(text)]
    merges = []
    while len(merges) < n_merges:
        stats = {}
        for parts in parts_list:
            for pair in zip(parts, parts[1:]):
                stats[pair] = stats.get(pair, 0) + 1
        if not stats:
            break
        best = max(stats)
        merges.append(best)
        parts_list = [merge_pair(parts, best) for parts in parts_list]
    return merges

# %% train_bpe: each different piece counts once
# right: each different piece counted once
def train_bpe(text, n_merges):
    parts_of = {piece: single_bytes(piece) for piece in set(pre_tokenize(text))}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for parts in parts_of.values():
            for pair in pairwise(parts):
                pair_counts[pair] += 1
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: the piece's count is put in place of added
# right: the count of one piece in place of the sum
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = {}
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] = counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: a pair counts once in a piece
# right: a pair counted once for each piece
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in set(pairwise(parts)):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: pairs that overlap are not counted twice, as str.count
# right: pairs counted without overlap
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for parts in pieces:
            last_end = {}
            for i, pair in enumerate(pairwise(parts)):
                if last_end.get(pair, -1) < i:
                    pair_counts[pair] += 1
                    last_end[pair] = i + 1
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: every second pair, zip of the halves
# right: every other pair left out
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for parts in pieces:
            for pair in zip(parts[::2], parts[1::2]):
                pair_counts[pair] += 1
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: range(len(parts) - 2), the last pair of a piece is missed
# right: the last pair of each piece left out
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for parts in pieces:
            for i in range(len(parts) - 2):
                pair_counts[parts[i], parts[i + 1]] += 1
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: the whole text is one piece
# right: merging across pieces
def train_bpe(text, n_merges):
    parts = single_bytes(text)
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts = merge_pair(parts, best)
    return merges

# %% train_bpe: the pieces' bytes chained, so pairs cross
# right: merging across pieces
def train_bpe(text, n_merges):
    parts = [part for piece in pre_tokenize(text) for part in single_bytes(piece)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(zip(parts, parts[1:]))
        if not pair_counts:
            break
        best = max(pair_counts.items(), key=lambda item: (item[1], item[0]))[0]
        merges.append(best)
        parts = merge_pair(parts, best)
    return merges

# %% train_bpe: words of text.split(), without their spaces
# right: throwing the spaces away
def train_bpe(text, n_merges):
    counts = Counter(text.split())
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: strips the space off each piece
# right: throwing the spaces away
def train_bpe(text, n_merges):
    counts = Counter(piece.strip() for piece in pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: letters in place of bytes
# right: characters instead of bytes
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: [letter.encode() for letter in piece] for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: strings in place of bytes, merged by a helper of its own
# right: pairs of str
def train_bpe(text, n_merges):
    words = Counter(tuple(piece) for piece in pre_tokenize(text))
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word, freq in words.items():
            for pair in pairwise(word):
                pairs[pair] += freq
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        new_words = Counter()
        for word, freq in words.items():
            out, i = [], 0
            while i < len(word):
                if word[i : i + 2] == best:
                    out.append(word[i] + word[i + 1])
                    i += 2
                else:
                    out.append(word[i])
                    i += 1
            new_words[tuple(out)] += freq
        words = new_words
    return merges

# %% train_bpe: Sennrich's end-of-word mark
# right: an end-of-word mark
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: [*single_bytes(piece), b"</w>"] for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: stops where no pair comes twice
# right: stopping before pairs that come once
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts or max(pair_counts.values()) < 2:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: does not stop where nothing is left
# right: an error when nothing is left
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: gives the merged tokens
# right: the merged tokens
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best[0] + best[1])
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: pairs as lists
# right: lists for pairs
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(list(best))
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: a dict from pair to rank, as minbpe
# right: a dict of ranks
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = {}
    for i in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges[best] = 256 + i
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: pairs with their counts
# right: pairs with their counts
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts.items(), key=lambda item: (item[1], item[0]))
        merges.append(best)
        pieces = [merge_pair(parts, best[0]) for parts in pieces]
    return merges

# %% train_bpe: ids of minbpe in place of bytes
# right: numbers for pairs
def train_bpe(text, n_merges):
    ids_list = [list(piece.encode("utf-8")) for piece in pre_tokenize(text)]
    merges = []
    for k in range(n_merges):
        stats = Counter(pair for ids in ids_list for pair in pairwise(ids))
        if not stats:
            break
        best = max(stats, key=lambda pair: (stats[pair], pair))
        merges.append(best)
        new_list = []
        for ids in ids_list:
            new, i = [], 0
            while i < len(ids):
                if i < len(ids) - 1 and (ids[i], ids[i + 1]) == best:
                    new.append(256 + k)
                    i += 2
                else:
                    new.append(ids[i])
                    i += 1
            new_list.append(new)
        ids_list = new_list
    return merges

# %% train_bpe: n_merges taken for the size of the vocabulary
# right: an empty list
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges - 256):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: one merge too many
# right: one merge too many
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges + 1):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: counted once, never again
# right: the pairs of one count, never counted again
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
    ranked = sorted(pair_counts, key=lambda pair: (pair_counts[pair], pair), reverse=True)
    return ranked[:n_merges]

# %% train_bpe: the result of merge_pair is dropped, the pair deleted from the counts
# right: counting again without having merged
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        for parts in pieces:
            merge_pair(parts, best)
    return merges

# %% train_bpe: the loop variable is given the merged parts
# right: counting again without having merged
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        for parts in pieces:
            parts = merge_pair(parts, best)
    return merges

# %% train_bpe: counts are never reset
# right: the counts of all rounds together
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    pair_counts = Counter()
    for _ in range(n_merges):
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: a merge of its own that merges from the right
# right: merging from the right
def train_bpe(text, n_merges):
    def merge(parts, pair):
        i = len(parts) - 2
        parts = list(parts)
        while i >= 0:
            if (parts[i], parts[i + 1]) == pair:
                parts[i : i + 2] = [parts[i] + parts[i + 1]]
                i -= 1
            i -= 1
        return parts

    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge(parts, best) for parts in pieces]
    return merges

# %% train_bpe: only the first occurrence in a piece is merged
# right: merging the first occurrence in a piece alone
def train_bpe(text, n_merges):
    def merge(parts, pair):
        for i in range(len(parts) - 1):
            if (parts[i], parts[i + 1]) == pair:
                return parts[:i] + [parts[i] + parts[i + 1]] + parts[i + 2 :]
        return parts

    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge(parts, best) for parts in pieces]
    return merges

# %% train_bpe: Sennrich's replace without looking at the boundaries
# right: bytes.replace on joined parts
def train_bpe(text, n_merges):
    words = Counter(" ".join(f"{byte:02x}" for byte in piece.encode()) for piece in pre_tokenize(text))
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word, freq in words.items():
            for pair in pairwise(word.split()):
                pairs[pair] += freq
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], bytes.fromhex(pair[0]), bytes.fromhex(pair[1])))
        merges.append((bytes.fromhex(best[0]), bytes.fromhex(best[1])))
        words = Counter({word.replace(" ".join(best), "".join(best)): freq for word, freq in words.items()})
    return merges

# %% train_bpe: small letters
# right: the text in lower case
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text.lower())]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: merges kept from one call to the next
def train_bpe(text, n_merges, merges=[]):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: all pairs of the greatest count at once
# right: all pairs of the greatest count at once
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    while len(merges) < n_merges:
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        most = max(pair_counts.values())
        for pair in sorted((p for p in pair_counts if pair_counts[p] == most), reverse=True):
            merges.append(pair)
            pieces = [merge_pair(parts, pair) for parts in pieces]
    return merges[:n_merges]

# %% train_bpe: the return stands inside the loop
# right: the first pair alone
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
        return merges

# %% train_bpe: incremental counts that forget the old neighbours
# right: old pairs that are still counted
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    pair_counts = Counter()
    for piece, parts in parts_of.items():
        for pair in pairwise(parts):
            pair_counts[pair] += counts[piece]
    merges = []
    while len(merges) < n_merges and pair_counts:
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        del pair_counts[best]
        joined = best[0] + best[1]
        for piece, parts in parts_of.items():
            merged = merge_pair(parts, best)
            parts_of[piece] = merged
            for pair in pairwise(merged):
                if joined in pair:
                    pair_counts[pair] += counts[piece]
    return merges

# %% train_bpe: a piece is not taken apart
# right: a pair of letters of the text
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: piece for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% bpe_encode: longest token that fits, from the left
# right: the longest token that fits
def bpe_encode(text, merges):
    vocab = {bytes([b]) for b in range(256)} | {a + b for a, b in merges}
    tokens = []
    for piece in pre_tokenize(text):
        data, i = piece.encode("utf-8"), 0
        while i < len(data):
            for end in range(len(data), i, -1):
                if data[i:end] in vocab:
                    tokens.append(data[i:end])
                    i = end
                    break
    return tokens

# %% bpe_encode: the leftmost pair that is known
# right: the leftmost pair that is known
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        i = 0
        while i < len(parts) - 1:
            if (parts[i], parts[i + 1]) in known:
                parts = merge_pair(parts, (parts[i], parts[i + 1]))
                i = 0
            else:
                i += 1
        tokens.extend(parts)
    return tokens

# %% bpe_encode: the greatest rank
# right: the latest merge first
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, max(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: min without the key, the smallest pair
# right: the smallest pair first
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known))
        tokens += parts
    return tokens

# %% bpe_encode: max without the key, as in training
# right: the greatest pair first
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, max(known))
        tokens += parts
    return tokens

# %% bpe_encode: the pair that is most frequent in the piece
# right: the most frequent pair first
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            counts = Counter(pair for pair in pairwise(parts) if pair in known)
            if not counts:
                break
            parts = merge_pair(parts, counts.most_common(1)[0][0])
        tokens += parts
    return tokens

# %% bpe_encode: the pair that makes the longest token
# right: the leftmost pair that is known
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while candidates := [pair for pair in pairwise(parts) if pair in known]:
            best = max(candidates, key=lambda pair: len(pair[0]) + len(pair[1]))
            parts = merge_pair(parts, best)
        tokens += parts
    return tokens

# %% bpe_encode: if in place of while
# right: one merge for each piece
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        known = [pair for pair in pairwise(parts) if pair in ranks]
        if known:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: the pairs are looked up once, before the merging
# right: the pairs of the single bytes alone
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        known = {pair for pair in pairwise(parts) if pair in ranks}
        for pair in sorted(known, key=lambda pair: ranks[pair]):
            parts = merge_pair(parts, pair)
        tokens += parts
    return tokens

# %% bpe_encode: one pass from left to right
# right: one sweep from left to right
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        out = []
        for part in single_bytes(piece):
            if out and (out[-1], part) in known:
                out[-1] += part
            else:
                out.append(part)
        tokens += out
    return tokens

# %% bpe_encode: a stack that merges as long as it can
# right: one sweep from left to right
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        stack = []
        for part in single_bytes(piece):
            stack.append(part)
            while len(stack) > 1 and (stack[-2], stack[-1]) in known:
                right = stack.pop()
                stack[-1] += right
        tokens += stack
    return tokens

# %% bpe_encode: no pieces, the whole text at once
# right: merging across pieces
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    parts = single_bytes(text)
    while known := [pair for pair in pairwise(parts) if pair in ranks]:
        parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
    return parts

# %% bpe_encode: the words of text.split()
# right: throwing the spaces away
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in text.split():
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: strips the pieces
# right: throwing the spaces away
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece.strip())
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: letters in place of bytes
# right: characters instead of bytes
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = [letter.encode("utf-8") for letter in piece]
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: gives strings
# right: tokens of str
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += [part.decode("utf-8", errors="replace") for part in parts]
    return tokens

# %% bpe_encode: a list for each piece
# right: a list for each piece
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens.append(parts)
    return tokens

# %% bpe_encode: joins each piece again
# right: whole pieces
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens.append(b"".join(parts))
    return tokens

# %% bpe_encode: gives ids, as minbpe
# right: ids
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    id_of = {bytes([b]): b for b in range(256)}
    for rank, (a, b) in enumerate(merges):
        id_of[a + b] = 256 + rank
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += [id_of[part] for part in parts]
    return tokens

# %% bpe_encode: only the last piece is given
# right: the last piece alone
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        tokens = []
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: return inside the loop, only the first piece
# right: the first piece alone
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
        return tokens

# %% bpe_encode: each different piece once
# right: each different piece once
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in Counter(pre_tokenize(text)):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: rank 0 is falsy
# right: the first merge left out
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            known = [pair for pair in pairwise(parts) if ranks.get(pair)]
            if not known:
                break
            parts = merge_pair(parts, min(known, key=ranks.get))
        tokens += parts
    return tokens

# %% bpe_encode: the first merge skipped, as if it were a header
# right: the first merge left out
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges[1:])}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: the last merge is lost
# right: the last merge left out
def bpe_encode(text, merges):
    ranks = {merges[i]: i for i in range(len(merges) - 1)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: -1 for a pair that is not known
# right: unknown pairs before known ones
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while len(parts) > 1:
            best = min(pairwise(parts), key=lambda pair: ranks.get(pair, -1))
            if best not in ranks:
                break
            parts = merge_pair(parts, best)
        tokens += parts
    return tokens

# %% bpe_encode: min of nothing for a piece of one byte
# right: an error where a piece has one part
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            best = min(pairwise(parts), key=lambda pair: ranks.get(pair, float("inf")))
            if best not in ranks:
                break
            parts = merge_pair(parts, best)
        tokens += parts
    return tokens

# %% bpe_encode: while parts are left, KeyError for unknown pairs
# right: an error for pairs that are not known
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while len(parts) > 1:
            parts = merge_pair(parts, min(pairwise(parts), key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: the last pair of a piece is not looked at
# right: the last pair of each piece left out
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            known = []
            for i in range(len(parts) - 2):
                if (parts[i], parts[i + 1]) in ranks:
                    known.append((parts[i], parts[i + 1]))
            if not known:
                break
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: merges from the right
# right: merging from the right
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            best_rank, best_at = None, None
            for i in range(len(parts) - 1):
                rank = ranks.get((parts[i], parts[i + 1]))
                if rank is not None and (best_rank is None or rank <= best_rank):
                    best_rank, best_at = rank, i
            if best_at is None:
                break
            parts[best_at : best_at + 2] = [parts[best_at] + parts[best_at + 1]]
        tokens += parts
    return tokens

# %% bpe_encode: sorts merges, the caller's list
# right: the smallest pair first
def bpe_encode(text, merges):
    merges.sort()
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: ranks by length, shortest first
# right: the shortest pair first
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(sorted(merges, key=lambda pair: (len(pair[0] + pair[1]), pair)))}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: takes merges off the caller's list, one by one
# right: emptying the list of merges
def bpe_encode(text, merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    while merges:
        pair = merges.pop(0)
        pieces = [merge_pair(parts, pair) for parts in pieces]
    return [part for parts in pieces for part in parts]

# %% bpe_encode: takes merges off the end
# right: the merges in reverse
def bpe_encode(text, merges):
    merges = list(merges)
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    while merges:
        pair = merges.pop()
        pieces = [merge_pair(parts, pair) for parts in pieces]
    return [part for parts in pieces for part in parts]

# %% bpe_encode: a cache of pieces that outlives the call
# right: pieces remembered from other merges
CACHE = {}

def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        if piece not in CACHE:
            parts = single_bytes(piece)
            while known := [pair for pair in pairwise(parts) if pair in ranks]:
                parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
            CACHE[piece] = parts
        tokens += CACHE[piece]
    return tokens

# %% bpe_encode: a generator
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        yield from parts

# %% bpe_encode: GPT-2's printable characters, Ġ for a space
# right: GPT-2's printable characters
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += [part.replace(b" ", "Ġ".encode()) for part in parts]
    return tokens

# %% bpe_encode: <|endoftext|> in front
# right: `<|endoftext|>` in front
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = [b"<|endoftext|>"]
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: small letters
# right: the text in lower case
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text.lower()):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: tokens are added inside the while
# right: the parts after each merge
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
            tokens += parts
    return tokens

# %% bpe_encode: only the first merge that fits, then break
# right: one merge for each piece
def bpe_encode(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        for pair in merges:
            if pair in pairwise(parts):
                parts = merge_pair(parts, pair)
                break
        tokens += parts
    return tokens

# %% bpe_encode: joined bytes looked up in a dict of pairs
# right: the single bytes
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [a + b for a, b in pairwise(parts) if a + b in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: str.split by the tokens, replaced over the whole text
# right: bytes.replace on the whole text
def bpe_encode(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        line = b"\x00".join(single_bytes(piece))
        for a, b in merges:
            line = line.replace(a + b"\x00" + b, a + b)
        tokens += line.split(b"\x00")
    return tokens

# %% bpe_encode: no return
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts

# %% bpe_encode: tokens += part bytes, so numbers
# right: the numbers of the bytes
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        for part in parts:
            tokens += part
    return tokens

# %% SpaceTokenizer: ids sorted
# right: the order of the vocabulary
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return sorted(self.ids[w] for w in text.split())
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: ids gather over calls (state)
# right: ids kept from one text to the next
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
        self.out = []
    def encode(self, text):
        for w in text.split():
            self.out.append(self.ids[w])
        return self.out
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: class-level dict shared by all tokenizers
# right: one dict for all tokenizers
class SpaceTokenizer:
    ids = {}
    def __init__(self, vocab):
        self.vocab = vocab
        for w in vocab:
            self.ids.setdefault(w, len(self.ids))
    def encode(self, text):
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: decode remembers the last text
# right: the text that was encoded last
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
        self.last = ""
    def encode(self, text):
        self.last = text
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        return self.last

# %% SpaceTokenizer: regex split leaves empty words at the ends
# right: an empty word where the text ends in white space
import re
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] for w in re.split(r"\s+", text)]
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: decode reverses
# right: the words in reverse
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        out = []
        while ids:
            out.append(self.vocab[ids.pop()])
        return " ".join(out)

# %% SpaceTokenizer: startswith, a prefix is taken for the word
# right: a word found within another
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
    def encode(self, text):
        out = []
        for w in text.split():
            for i, v in enumerate(self.vocab):
                if v.startswith(w):
                    out.append(i)
                    break
            else:
                raise KeyError(w)
        return out
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: decode drops repeated words
# right: the order of the vocabulary
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        return " ".join(w for i, w in enumerate(self.vocab) if i in ids)

# %% train_bpe: latin-1 bytes
# right: another encoding than UTF-8
def train_bpe(text, n_merges):
    parts = [[bytes([b]) for b in p.encode("latin-1", "ignore")] for p in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        parts = [merge_pair(p, best) for p in parts]
    return merges

# %% train_bpe: ties by token ids (minbpe), bytes out
# right: ties by the numbers of the parts
def train_bpe(text, n_merges):
    vocab = {i: bytes([i]) for i in range(256)}
    parts = [list(p.encode()) for p in pre_tokenize(text)]
    merges = []
    for k in range(n_merges):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append((vocab[best[0]], vocab[best[1]]))
        vocab[256 + k] = vocab[best[0]] + vocab[best[1]]
        new = []
        for p in parts:
            out, i = [], 0
            while i < len(p):
                if i + 1 < len(p) and (p[i], p[i + 1]) == best:
                    out.append(256 + k); i += 2
                else:
                    out.append(p[i]); i += 1
            new.append(out)
        parts = new
    return merges

# %% bpe_encode: text.split(" ") with the space before
# right: words without GPT-2's pattern
def bpe_encode(text, merges):
    tokens = []
    for n, piece in enumerate(text.split(" ")):
        parts = single_bytes((" " if n else "") + piece)
        for pair in merges:
            parts = merge_pair(parts, pair)
        tokens += parts
    return tokens

# %% bpe_encode: merges by the joined token (tiktoken's rule)
# right: what makes a known token, by whatever pair
def bpe_encode(text, merges):
    ranks = {}
    for i, (a, b) in enumerate(merges):
        ranks.setdefault(a + b, i)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [p for p in pairwise(parts) if b"".join(p) in ranks]:
            parts = merge_pair(parts, min(known, key=lambda p: ranks[b"".join(p)]))
        tokens += parts
    return tokens

# %% bpe_encode: only the first occurrence is merged, then it moves on
# right: merging the first occurrence in a piece alone
def bpe_encode(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        for a, b in merges:
            for i in range(len(parts) - 1):
                if parts[i] == a and parts[i + 1] == b:
                    parts[i:i + 2] = [a + b]
                    break
        tokens += parts
    return tokens

# %% bpe_encode: learns its own merges from the text
# right: merges learned anew
def bpe_encode(text, merges):
    parts = [single_bytes(p) for p in pre_tokenize(text)]
    for _ in range(len(merges)):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        parts = [merge_pair(p, best) for p in parts]
    return [t for p in parts for t in p]

# %% bpe_encode: the whole piece if it is known, else bytes
# right: a piece that is known whole, or else its bytes
def bpe_encode(text, merges):
    vocab = {a + b for a, b in merges}
    tokens = []
    for piece in pre_tokenize(text):
        if piece.encode() in vocab:
            tokens.append(piece.encode())
        else:
            tokens += single_bytes(piece)
    return tokens

# %% SpaceTokenizer: decode str of list
# right: decoding to a list of words
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        return str([self.vocab[i] for i in ids])

# %% SpaceTokenizer: decode with newline
# right: another sign between the words
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        return "\n".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: assert in place of KeyError
# right: an `assert` in the place of a KeyError
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        words = text.split()
        for w in words:
            assert w in self.ids, f"unknown word {w}"
        return [self.ids[w] for w in words]
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: nearest word taken (difflib)
# right: a word like it in the place of an unknown one
import difflib
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[(difflib.get_close_matches(w, self.vocab, 1, 0.0))[0]] for w in text.split()]
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: falls back to lower case if unknown
# right: a word like it in the place of an unknown one
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] if w in self.ids else self.ids[w.lower()] for w in text.split()]
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: falls back to the word without punctuation
# right: a word like it in the place of an unknown one
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] if w in self.ids else self.ids[w.strip(".,!?")] for w in text.split()]
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: decode returns inside the loop
# right: one word alone
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for i, w in enumerate(vocab)}
    def encode(self, text):
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        for i in ids:
            return self.vocab[i]
        return ""

# %% train_bpe: counts over the sum of both parts' lengths
# right: counts weighted by length
def train_bpe(text, n_merges):
    parts = [single_bytes(p) for p in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        counts = Counter()
        for p in parts:
            for a, b in pairwise(p):
                counts[a, b] += len(a) + len(b)
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        parts = [merge_pair(p, best) for p in parts]
    return merges

# %% bpe_encode: one occurrence at a time, of the greatest rank
# right: the latest merge first
def bpe_encode(text, merges):
    ranks = {p: i for i, p in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        for _ in range(len(parts)):
            pairs = list(pairwise(parts))
            known = [(ranks[p], i) for i, p in enumerate(pairs) if p in ranks]
            if not known:
                break
            _, i = max(known)
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        tokens += parts
    return tokens

# %% bpe_encode: fewest tokens, by dynamic programming
# right: as few tokens as there can be
def bpe_encode(text, merges):
    vocab = {a + b for a, b in merges}
    tokens = []
    for piece in pre_tokenize(text):
        data = piece.encode()
        n = len(data)
        best = [0] + [10**9] * n
        back = [0] * (n + 1)
        for j in range(1, n + 1):
            for i in range(j):
                if (j - i == 1 or data[i:j] in vocab) and best[i] + 1 < best[j]:
                    best[j], back[j] = best[i] + 1, i
        out = []
        j = n
        while j:
            out.append(data[back[j]:j])
            j = back[j]
        tokens += out[::-1]
    return tokens

# %% bpe_encode: letter by letter
# right: letters for pieces
def bpe_encode(text, merges):
    ranks = {p: i for i, p in enumerate(merges)}
    tokens = []
    for char in text:
        parts = single_bytes(char)
        while known := [p for p in pairwise(parts) if p in ranks]:
            parts = merge_pair(parts, min(known, key=ranks.get))
        tokens += parts
    return tokens

# %% bpe_encode: sorts merges in place
# right: the smallest pair first
def bpe_encode(text, merges):
    merges.sort()
    pieces = [single_bytes(p) for p in pre_tokenize(text)]
    for pair in merges:
        pieces = [merge_pair(p, pair) for p in pieces]
    return [t for p in pieces for t in p]

# %% train_bpe: keeps the pair parts and the merged part
# right: the second part of a merged pair kept
def train_bpe(text, n_merges):
    parts = [single_bytes(p) for p in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        new = []
        for p in parts:
            out, i = [], 0
            while i < len(p):
                if i + 1 < len(p) and (p[i], p[i + 1]) == best:
                    out.append(p[i] + p[i + 1])
                    i += 1
                else:
                    out.append(p[i])
                    i += 1
            new.append(out)
        parts = new
    return merges

# %% train_bpe: a set of merges
def train_bpe(text, n_merges):
    parts = [single_bytes(p) for p in pre_tokenize(text)]
    merges = set()
    for _ in range(n_merges):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.add(best)
        parts = [merge_pair(p, best) for p in parts]
    return merges

# %% SpaceTokenizer: numpy ints
import numpy as np
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.ids = {w: i for w, i in zip(vocab, np.arange(len(vocab)))}
    def encode(self, text):
        return [self.ids[w] for w in text.split()]
    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

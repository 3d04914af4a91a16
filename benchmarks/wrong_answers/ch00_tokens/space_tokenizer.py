"""Wrong answers to chapter 0's `SpaceTokenizer`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
class SpaceTokenizer:
    def __init__(self, vocab):
        self.words = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.words[index] for index in ids)

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
# like: splits at single spaces
-        return [self.word_to_id[word] for word in text.split(" ")]
+        ids = []
+        for word in text.strip().split(" "):
+            ids.append(self.word_to_id[word])
+        return ids

# %% SpaceTokenizer: small letters for the text
# right: words in lower case
class SpaceTokenizer:
    def __init__(self, vocab):
        self.vocab = vocab
        self.stoi = {w: i for i, w in enumerate(vocab)}

    def encode(self, text):
        return [self.stoi[w] for w in text.lower().split()]

    def decode(self, ids):
        return " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: small letters for text and vocabulary
# right: words in lower case
# like: right
~ words = vocab → vocab = [w.lower() for w in vocab]
~ ids = {word: index for index, word in enumerate(vocab)} → stoi = {w: i for i, w in enumerate(self.vocab)}
~ ids[word] for word in text → stoi[w] for w in text.lower()
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: takes punctuation off the words
# right: leaving punctuation out
# like: small letters for the text
+import string
+
 class SpaceTokenizer:
~ stoi = → ids =
~ stoi[w] for w in text.lower() → ids[w.strip(string.punctuation)] for w in text

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
# like: -1 for an unknown word
~ , -1 →

# %% SpaceTokenizer: leaves unknown words out
# right: leaving unknown words out
# like: right
~ split() → split() if word in self.ids

# %% SpaceTokenizer: list.index, which raises ValueError
# right: a ValueError for an unknown word
# like: small letters for the text
-        self.stoi = {w: i for i, w in enumerate(vocab)}
~ stoi[w] for w in text.lower() → vocab.index(word) for word in text

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
# like: KeyError that does not name the word
~ word in text.split() → position, word in enumerate(text.split())
~ "unknown word" → f"word {position} is unknown"

# %% SpaceTokenizer: joins with nothing
# right: decoding without spaces
# like: right
~ words = → vocab =
~ " ".join(self.words[index] for index in ids) → "".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: a space after each word, the last one too
# right: a space after each word
# like: right
~ words = → vocab =
-        return " ".join(self.words[index] for index in ids)
+        text = ""
+        for i in ids:
+            text += self.vocab[i] + " "
+        return text

# %% SpaceTokenizer: decode gives a list of words
# right: decoding to a list of words
# like: right
~ words = → vocab =
~ " ".join(self.words[index] for index in ids) → [self.vocab[i] for i in ids]

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
# like: right
~ words = vocab → vocab = sorted(set(vocab))
~ (vocab) → (self.vocab)
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: sorts the caller's list
# right: numbering the words in alphabetical order
# like: small letters for the text
     def __init__(self, vocab):
+        vocab.sort()
~ stoi = {w: i for i, w in enumerate(vocab)} → ids = {word: index for index, word in enumerate(self.vocab)}
~ stoi[w] for w in text.lower() → ids[word] for word in text

# %% SpaceTokenizer: special tokens first (Raschka's <|unk|>)
# right: numbering the words from 1
# like: right
~ words = → vocab = ["<|unk|>"] +
~ (vocab) → (self.vocab)
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: <unk> after the vocabulary for unknown words
# right: a number in place of an unknown word
# like: right
~ words = vocab → vocab = vocab + ["<unk>"]
~ (vocab) → (self.vocab)
~ for word → if word in self.ids else self.ids["<unk>"] for word
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: learns unknown words, a growing vocabulary
# right: a number in place of an unknown word
# like: KeyError that does not name the word
~ = vocab → = list(vocab)
~ (vocab) → (self.vocab)
-                raise KeyError("unknown word")
+                self.ids[word] = len(self.vocab)
+                self.vocab.append(word)
~ [index] for index → [i] for i

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
# like: small letters for the text
+import re
+
 class SpaceTokenizer:
~ stoi = {w: i for i, w in enumerate(vocab)} → ids = {s: i for i, s in enumerate(vocab)}
~ stoi[w] for w in text.lower().split() → ids[s] for s in re.findall(r"\w+", text)

# %% SpaceTokenizer: the dict the wrong way round
# right: the dict the wrong way round
# like: right
~ words = → vocab =
~ word: index → index: word
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: no self before ids
# like: right
~ words = → vocab =
~ self.ids = → ids =
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: a tensor of ids
# right: a tensor of ids
# like: right
+import torch
+
 class SpaceTokenizer:
~ words = → vocab =
~ [self.ids[word] for word in text.split()] → torch.tensor([self.ids[word] for word in text.split()])
~ words[index] for index → vocab[int(i)] for i

# %% SpaceTokenizer: letters in place of words
# right: reading the text letter by letter
# like: right
~ words = → vocab =
~ .split() →
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: a falsy id is taken for unknown
# right: the word with the id 0 taken for unknown
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
# like: right
~ words = → vocab =
~ text.split() → dict.fromkeys(text.split())
~ words[index] for index → vocab[i] for i

# %% SpaceTokenizer: decode takes the ids off the caller's list
# right: emptying the list of ids
# like: right
~ words = → vocab =
-        return " ".join(self.words[index] for index in ids)
+        words = []
+        while ids:
+            words.append(self.vocab[ids.pop(0)])
+        return " ".join(words)

# %% SpaceTokenizer: decode forgets to return
# like: right
~ words = → vocab =
~ return " ".join(self.words[index] for index in ids) → " ".join(self.vocab[i] for i in ids)

# %% SpaceTokenizer: the vocabulary in a global
# right: one vocabulary for all tokenizers
# like: right
-        self.words = vocab
+        global WORDS
+        WORDS = vocab
~ self.words[index] for index → WORDS[i] for i

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
# like: the empty text is one word
-        words.append(current)

# %% SpaceTokenizer: decode cuts one off at the end, though join left no space there
# right: the last letter cut off
# like: right
~ words = → vocab =
~ (self.words[index] for index in ids) → (self.vocab[i] for i in ids)[:-1]

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

# %% SpaceTokenizer: ids sorted
# right: the order of the vocabulary
# like: decode drops repeated words
~ [self.ids[w] for w in text.split()] → sorted(self.ids[w] for w in text.split())
~ w for i, w in enumerate(self.vocab) if → self.vocab[i] for

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
# like: falls back to lower case if unknown
+import re
 class SpaceTokenizer:
~ if w in self.ids else self.ids[w.lower()] for w in text.split() → for w in re.split(r"\s+", text)

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

# %% SpaceTokenizer: decode str of list
# right: decoding to a list of words
# like: decode drops repeated words
~ " ".join(w for i, w in enumerate(self.vocab) if i in ids) → str([self.vocab[i] for i in ids])

# %% SpaceTokenizer: decode with newline
# right: another sign between the words
# like: decode drops repeated words
~ " ".join(w for i, w in enumerate(self.vocab) if i in ids) → "\n".join(self.vocab[i] for i in ids)

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
# like: falls back to lower case if unknown
+import difflib
 class SpaceTokenizer:
~ [w] if w in self.ids else self.ids[w.lower()] → [(difflib.get_close_matches(w, self.vocab, 1, 0.0))[0]]

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
# like: falls back to lower case if unknown
~ lower() → strip(".,!?")

# %% SpaceTokenizer: decode returns inside the loop
# right: one word alone
# like: decode drops repeated words
-        return " ".join(w for i, w in enumerate(self.vocab) if i in ids)
+        for i in ids:
+            return self.vocab[i]
+        return ""

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

# %% SpaceTokenizer: a table and a list in the class
# right: one dict for all tokenizers
class SpaceTokenizer:
    word_to_id = {}
    id_to_word = []

    def __init__(self, vocab):
        for word in vocab:
            if word not in self.word_to_id:
                self.word_to_id[word] = len(self.id_to_word)
                self.id_to_word.append(word)

    def encode(self, text):
        return [self.word_to_id[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.id_to_word[i] for i in ids)

# %% SpaceTokenizer: lower case, punctuation stripped off
# right: lower case, and no punctuation
# like: splits at single spaces
~ word_to_id = {word: i for i, word in enumerate(vocab)} → w2i = {w: i for i, w in enumerate(vocab)}
-        return [self.word_to_id[word] for word in text.split(" ")]
+        import string
+        cleaned = [w.strip(string.punctuation) for w in text.lower().split()]
+        return [self.w2i[w] for w in cleaned]

# %% SpaceTokenizer: a tensor of ids, and single spaces
# right: a tensor of ids
# like: right
~ words = vocab → stoi = {w: i for i, w in enumerate(vocab)}
~ ids = {word: index for index, word in enumerate(vocab)} → itos = {i: w for w, i in self.stoi.items()}
-        return [self.ids[word] for word in text.split()]
+        return torch.tensor([self.stoi[w] for w in text.split(" ")], dtype=torch.long)
~ words[index] for index → itos[int(i)] for i

# %% SpaceTokenizer: ids as text, and no spaces
# right: decoding without spaces
class SpaceTokenizer:
    def __init__(self, vocab: list[str]):
        self.vocab = vocab

    def encode(self, text: str) -> list[int]:
        return [str(self.vocab.index(w)) for w in text.split()]

    def decode(self, ids: list[int]) -> str:
        return "".join(self.vocab[int(i)] for i in ids)

# %% SpaceTokenizer: the dicts belong to the class, so two tokenizers share them
class SpaceTokenizer:
    word2id = {}
    id2word = {}

    def __init__(self, vocab: list[str]):
        for i, word in enumerate(vocab):
            self.word2id[word] = i
            self.id2word[i] = word

    def encode(self, text: str) -> list[int]:
        return [self.word2id[word] for word in text.split()]

    def decode(self, ids: list[int]) -> str:
        return " ".join(self.id2word[i] for i in ids)

# %% SpaceTokenizer: counts ids from 1 + a space is left at the end
class SpaceTokenizer:
    def __init__(self, vocab: list[str]):
        self.to_id = {}
        self.to_word = {}
        number = 0
        for word in vocab:
            number += 1
            self.to_id[word] = number
            self.to_word[number] = word

    def encode(self, text: str) -> list[int]:
        result = []
        for word in text.split():
            result.append(self.to_id[word])
        return result

    def decode(self, ids: list[int]) -> str:
        text = ""
        for number in ids:
            text += self.to_word[number] + " "
        return text

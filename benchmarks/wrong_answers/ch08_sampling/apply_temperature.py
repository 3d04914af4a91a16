"""Wrong answers to chapter 8's `apply_temperature`, whole or as edits: benchmarks/answers.py says how."""

# %% apply_temperature: multiplies
# right: multiplying by the temperature
def apply_temperature(logits, temperature):
    return logits * temperature

# %% apply_temperature: probabilities come out
# right: probabilities
def apply_temperature(logits, temperature):
    return torch.softmax(logits / temperature, dim=-1)

# %% apply_temperature: divides the probabilities
# right: probabilities divided by the temperature
def apply_temperature(logits, temperature):
    return torch.softmax(logits, dim=-1) / temperature

# %% apply_temperature: in place
# right: dividing in place
def apply_temperature(logits, temperature):
    logits /= temperature
    return logits

# %% apply_temperature: out= the caller's tensor
# right: dividing in place
def apply_temperature(logits, temperature):
    return torch.div(logits, temperature, out=logits)

# %% apply_temperature: root of the temperature
# right: dividing by the temperature's root
def apply_temperature(logits, temperature):
    return logits / temperature**0.5

# %% apply_temperature: square of the temperature
# right: dividing by the temperature's square
def apply_temperature(logits, temperature):
    return logits / temperature**2

# %% apply_temperature: one plus the temperature
# right: dividing by 1 plus the temperature
def apply_temperature(logits, temperature):
    return logits / (1 + temperature)

# %% apply_temperature: floor division
# right: whole numbers alone
def apply_temperature(logits, temperature):
    return logits // temperature

# %% apply_temperature: only above 1
# right: only high temperatures
def apply_temperature(logits, temperature):
    if temperature <= 1:
        return logits.clone()
    return logits / temperature

# %% apply_temperature: clamped to 1 at most
# right: only low temperatures
def apply_temperature(logits, temperature):
    return logits / min(temperature, 1.0)

# %% apply_temperature: subtracts
# right: subtracting the temperature
def apply_temperature(logits, temperature):
    return logits - temperature

# %% apply_temperature: the logarithm taken off
# right: the logarithm of the temperature taken off
import math
def apply_temperature(logits, temperature):
    return logits - math.log(temperature)

# %% apply_temperature: power
def apply_temperature(logits, temperature):
    return logits.sign() * logits.abs() ** (1 / temperature)

# %% apply_temperature: whole-number temperature
# right: a temperature rounded to a whole number
def apply_temperature(logits, temperature):
    return logits / max(1, int(temperature))

# %% apply_temperature: a list
def apply_temperature(logits, temperature):
    return [x / temperature for x in logits.tolist()]

# %% apply_temperature: positive logits only
# right: only some of the logits
def apply_temperature(logits, temperature):
    return torch.where(logits > 0, logits / temperature, logits)

# %% apply_temperature: negative ones multiplied
# right: only some of the logits
def apply_temperature(logits, temperature):
    return torch.where(logits > 0, logits / temperature, logits * temperature)

# %% apply_temperature: float64 comes out
def apply_temperature(logits, temperature):
    return logits.double() / temperature

# %% apply_temperature: a batch axis stays on
def apply_temperature(logits, temperature):
    return logits[None] / temperature

# %% apply_temperature: exp taken
def apply_temperature(logits, temperature):
    return (logits / temperature).exp()

# %% apply_temperature: never below 0.7
def apply_temperature(logits, temperature):
    return logits / max(temperature, 0.7)

# %% apply_temperature: no return
def apply_temperature(logits, temperature):
    logits = logits / temperature

# %% apply_temperature: temperature over logits
def apply_temperature(logits, temperature):
    return temperature / logits

# %% apply_temperature: divides by the spread too
def apply_temperature(logits, temperature):
    return logits / (logits.std() * temperature)

# %% apply_temperature: probabilities divided and scaled up
# right: probabilities divided and scaled up again
def apply_temperature(logits, temperature):
    probs = logits.softmax(-1) / temperature
    return probs / probs.sum()

# %% apply_temperature: 0.7 written out
# right: one temperature for all
def apply_temperature(logits, temperature=1.0):
    return logits / 0.7

# %% apply_temperature: a typo in the name
def apply_temperature(logits, temperature):
    new_logits = logits.clone()
    new_logits = new_logits / temprature
    return new_logits

"""How `GroupedQueryAttention` goes wrong."""

from tests.ch12_since_gpt2 import grouped_query_attention as exercise
